import { type Goods, noun } from './noun.ts'

/** What the house sells to wear and to carry. */
export const wear: readonly Goods[] = [
  {
    category: 'Shirts & Tops',
    colours: [2, 5],
    materials: ['LIN', 'COT', 'ORC', 'POP', 'FLN', 'JRS', 'SLK', 'LYO', 'CHM'],
    adjectives: ['relaxed', 'slim', 'oversized', 'cropped', 'striped', 'checked', 'classic', 'embroidered'],
    nouns: [
      noun('Shirt', '衬衫', '셔츠', 'apparel', 18, 34, 240),
      noun('Blouse', '女式上衣', '블라우스', 'apparel', 18, 36, 200),
      noun('T-Shirt', 'T恤', '티셔츠', 'apparel', 9, 18, 180),
      noun('Polo Shirt', 'POLO衫', '폴로 셔츠', 'apparel', 15, 28, 230),
      noun('Tunic', '长款上衣', '튜닉', 'apparel', 20, 38, 260),
    ],
  },
  {
    category: 'Knitwear',
    colours: [2, 5],
    materials: ['MER', 'CSH', 'LMB', 'ALP', 'MOH', 'COT', 'RWL'],
    adjectives: ['chunky', 'ribbed', 'cable', 'fineGauge', 'cropped', 'oversized', 'striped', 'raglan'],
    nouns: [
      noun('Crewneck Sweater', '圆领针织衫', '크루넥 스웨터', 'apparel', 24, 42, 380),
      noun('Cardigan', '开衫', '가디건', 'apparel', 26, 46, 420),
      noun('Turtleneck', '高领针织衫', '터틀넥', 'apparel', 24, 40, 400),
      noun('Knit Vest', '针织背心', '니트 베스트', 'apparel', 18, 30, 260),
    ],
  },
  {
    category: 'Dresses & Skirts',
    colours: [2, 5],
    materials: ['LIN', 'SLK', 'COT', 'VIS', 'LYO', 'SAT', 'CHF'],
    adjectives: ['pleated', 'printed', 'striped', 'floral', 'belted', 'flared', 'tiered', 'relaxed'],
    nouns: [
      noun('Midi Dress', '中长连衣裙', '미디 원피스', 'apparel', 28, 52, 320),
      noun('Maxi Dress', '长款连衣裙', '맥시 원피스', 'apparel', 32, 60, 400),
      noun('Shirt Dress', '衬衫裙', '셔츠 원피스', 'apparel', 28, 50, 340),
      noun('Midi Skirt', '中长半身裙', '미디스커트', 'apparel', 20, 38, 260),
    ],
  },
  {
    category: 'Trousers & Shorts',
    colours: [2, 5],
    materials: ['DNM', 'LIN', 'CRD', 'TWL', 'WOL', 'COT', 'RPE'],
    adjectives: ['relaxed', 'slim', 'straight', 'highWaisted', 'wideLeg', 'pleated', 'striped', 'classic'],
    nouns: [
      noun('Trousers', '长裤', '팬츠', 'apparel', 22, 40, 420),
      noun('Chinos', '休闲裤', '치노 팬츠', 'apparel', 22, 38, 430),
      noun('Cargo Pants', '工装裤', '카고 팬츠', 'apparel', 24, 42, 480),
      noun('Shorts', '短裤', '반바지', 'apparel', 15, 28, 260),
    ],
  },
  {
    category: 'Outerwear',
    colours: [2, 4],
    materials: ['WOL', 'DNM', 'WAX', 'NYL', 'CRD', 'FLC', 'RPE'],
    adjectives: ['oversized', 'cropped', 'belted', 'hooded', 'quilted', 'lightweight', 'padded', 'classic'],
    nouns: [
      noun('Jacket', '夹克', '재킷', 'apparel', 38, 70, 720),
      noun('Coat', '大衣', '코트', 'apparel', 55, 110, 1150),
      noun('Parka', '派克服', '파카', 'apparel', 55, 100, 1200),
      noun('Overshirt', '衬衫外套', '오버셔츠', 'apparel', 30, 52, 480),
    ],
  },
  {
    category: 'Shoes',
    colours: [1, 4],
    materials: ['LEA', 'SUE', 'CNV', 'NUB', 'VGL', 'RPE'],
    adjectives: [
      'classic',
      'lightweight',
      'platform',
      'minimal',
      'retro',
      'cushioned',
      'twoTone',
      'handmade',
    ],
    nouns: [
      noun('Sneakers', '运动鞋', '스니커즈', 'shoes', 32, 58, 780),
      noun('Loafers', '乐福鞋', '로퍼', 'shoes', 34, 62, 700),
      noun('Sandals', '凉鞋', '샌들', 'shoes', 22, 44, 520),
      noun('Ankle Boots', '短靴', '앵클 부츠', 'shoes', 45, 85, 980),
    ],
  },
  {
    category: 'Bags',
    colours: [3, 7],
    materials: ['LEA', 'CNV', 'NYL', 'JUT', 'SUE', 'VGL', 'RPE'],
    adjectives: ['everyday', 'minimal', 'quilted', 'woven', 'printed', 'vintage', 'twoTone'],
    nouns: [
      noun('Tote Bag', '托特包', '토트백', 'one', 14, 34, 420),
      noun('Backpack', '双肩包', '백팩', 'one', 26, 52, 780),
      noun('Crossbody Bag', '斜挎包', '크로스백', 'one', 20, 44, 380),
      noun('Weekend Bag', '旅行袋', '위켄드 백', 'one', 36, 80, 1100),
    ],
  },
  {
    category: 'Scarves & Accessories',
    colours: [3, 7],
    materials: ['WOL', 'CSH', 'COT', 'MER', 'MOH', 'LMB'],
    adjectives: ['striped', 'checked', 'ribbed', 'soft', 'embroidered', 'twoTone', 'classic'],
    nouns: [
      noun('Scarf', '围巾', '머플러', 'one', 12, 26, 180),
      noun('Beanie', '冷帽', '비니', 'one', 8, 16, 90),
      noun('Gloves', '手套', '장갑', 'glove', 10, 22, 80),
      noun('Socks', '袜子', '양말', 'glove', 4, 8, 60),
    ],
  },
]
