# To be sourced. Names a time zone whose day is not that of UTC at this hour, so that what depends on the business day is tried
# at every hour at which CI runs, and gives each warehouse of a connector's configuration this zone.

if [ "$(date -u +%-H)" -lt 10 ]; then
  other_day_zone=Pacific/Pago_Pago # 11 hours behind: the day before until 11:00 in UTC
else
  other_day_zone=Pacific/Kiritimati # 14 hours ahead: the next day from 10:00 in UTC
fi

set_warehouse_zones() { # configuration: prints it
  sed "s#\"timezone\": \"[^\"]*\"#\"timezone\": \"$other_day_zone\"#" "$1"
}
