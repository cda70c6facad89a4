import { type Goods, noun } from './noun.ts'

/** What the house sells for the home, and as a gift. */
export const home: readonly Goods[] = [
  {
    category: 'Bedding',
    colours: [2, 4],
    materials: ['LIN', 'COT', 'ORC', 'PRC', 'BAM', 'FLN'],
    adjectives: ['washed', 'striped', 'checked', 'plain', 'printed', 'embroidered', 'waffle', 'floral'],
    nouns: [
      noun('Duvet Cover', '被套', '이불 커버', 'bed', 34, 70, 1300),
      noun('Fitted Sheet', '床笠', '매트리스 커버', 'bed', 18, 38, 700),
      noun('Pillowcase', '枕套', '베갯잇', 'pillow', 7, 15, 160),
      noun('Bedspread', '床罩', '베드 스프레드', 'bed', 40, 85, 1900),
    ],
  },
  {
    category: 'Bath',
    colours: [3, 6],
    materials: ['COT', 'ORC', 'LIN', 'BAM', 'TRK', 'TRY'],
    adjectives: ['waffle', 'striped', 'plain', 'ribbed', 'embroidered', 'quickDry', 'soft'],
    nouns: [
      noun('Bath Towel', '浴巾', '바스 타월', 'one', 10, 22, 520),
      noun('Hand Towel', '毛巾', '핸드 타월', 'one', 5, 11, 200),
      noun('Bath Mat', '浴室地垫', '욕실 매트', 'one', 11, 24, 680),
      noun('Bathrobe', '浴袍', '목욕 가운', 'robe', 32, 60, 950),
    ],
  },
  {
    category: 'Tableware',
    colours: [3, 7],
    materials: ['STN', 'CER', 'PRL', 'BNC', 'GLS', 'ENM'],
    adjectives: ['speckled', 'handmade', 'fluted', 'matte', 'rustic', 'nordic', 'handPainted', 'stackable'],
    nouns: [
      noun('Dinner Plate', '餐盘', '디너 접시', 'one', 6, 14, 620),
      noun('Bowl', '碗', '볼', 'one', 5, 12, 420),
      noun('Mug', '马克杯', '머그컵', 'one', 5, 11, 340),
      noun('Pitcher', '凉水壶', '물병', 'one', 14, 28, 900),
      noun('Teapot', '茶壶', '찻주전자', 'one', 16, 34, 860),
    ],
  },
  {
    category: 'Kitchen',
    colours: [3, 5],
    materials: ['ACA', 'OAK', 'OLV', 'BCH', 'BBO', 'MRB', 'WNT'],
    adjectives: ['round', 'handmade', 'engraved', 'rustic', 'minimal', 'carved'],
    nouns: [
      noun('Chopping Board', '砧板', '도마', 'one', 12, 30, 1100),
      noun('Serving Tray', '托盘', '서빙 트레이', 'one', 14, 32, 900),
      noun('Coaster Set', '杯垫套装', '컵받침 세트', 'one', 7, 15, 320),
      noun('Utensil Holder', '厨具收纳筒', '조리도구 꽂이', 'one', 10, 22, 640),
    ],
  },
  {
    category: 'Home Decor',
    colours: [3, 6],
    materials: ['CER', 'GLS', 'BRS', 'RAT', 'TRT', 'CON', 'OAK'],
    adjectives: ['round', 'fluted', 'handmade', 'minimal', 'matte', 'nordic', 'vintage', 'geometric'],
    nouns: [
      noun('Vase', '花瓶', '화병', 'one', 12, 34, 900),
      noun('Planter', '花盆', '화분', 'one', 10, 30, 1200),
      noun('Candle Holder', '烛台', '촛대', 'one', 6, 18, 380),
      noun('Photo Frame', '相框', '액자', 'one', 8, 20, 460),
      noun('Table Lamp', '台灯', '탁상 램프', 'one', 30, 75, 1800),
    ],
  },
  {
    category: 'Soft Furnishings',
    colours: [3, 6],
    materials: ['VEL', 'LIN', 'COT', 'BCL', 'WOL', 'JUT'],
    adjectives: ['tufted', 'striped', 'geometric', 'fringed', 'embroidered', 'woven', 'plain', 'checked'],
    nouns: [
      noun('Cushion Cover', '靠垫套', '쿠션 커버', 'one', 8, 20, 220),
      noun('Throw Blanket', '盖毯', '담요', 'one', 20, 48, 900),
      noun('Rug', '地毯', '러그', 'rug', 26, 60, 1400),
      noun('Curtain', '窗帘', '커튼', 'one', 24, 50, 1300),
    ],
  },
  {
    category: 'Stationery',
    colours: [3, 7],
    materials: ['RPP', 'KFT', 'CLO', 'LEA', 'COR', 'FLT'],
    adjectives: ['dotted', 'pocket', 'illustrated', 'floral', 'minimal', 'vintage', 'embossed'],
    nouns: [
      noun('Notebook', '笔记本', '노트', 'one', 3, 9, 220),
      noun('Journal', '手账本', '다이어리', 'one', 6, 14, 340),
      noun('Photo Album', '相册', '포토 앨범', 'one', 10, 24, 780),
      noun('Pencil Case', '笔袋', '필통', 'one', 4, 11, 120),
      noun('Card Holder', '卡包', '카드 지갑', 'one', 5, 14, 60),
    ],
  },
  {
    category: 'Candles',
    colours: [3, 5],
    materials: ['SOY', 'BWX', 'CCW', 'RSW'],
    adjectives: ['lavender', 'cedar', 'vanilla', 'fig', 'citrus', 'sandalwood', 'jasmine', 'rose'],
    nouns: [
      noun('Pillar Candle', '柱形蜡烛', '필라 캔들', 'one', 6, 14, 480),
      noun('Jar Candle', '罐装蜡烛', '자 캔들', 'one', 8, 18, 420),
      noun('Tealight Set', '茶蜡套装', '티라이트 세트', 'one', 4, 9, 180),
      noun('Candle Gift Set', '蜡烛礼盒', '캔들 선물 세트', 'one', 16, 34, 900),
    ],
  },
  {
    category: 'Toys',
    colours: [2, 5],
    materials: ['PLU', 'ORC', 'FLT', 'KNT', 'WDN'],
    adjectives: ['forest', 'safari', 'ocean', 'farm', 'rainbow', 'nordic'],
    nouns: [
      noun('Rattle', '摇铃', '딸랑이', 'one', 5, 11, 90),
      noun('Stacking Toy', '叠叠乐', '쌓기 장난감', 'one', 8, 18, 420),
      noun('Bear', '小熊', '곰 인형', 'one', 9, 22, 260),
      noun('Rabbit', '小兔', '토끼 인형', 'one', 9, 22, 240),
      noun('Cot Mobile', '床铃', '모빌', 'one', 14, 30, 380),
    ],
  },
]
