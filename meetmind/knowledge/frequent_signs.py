"""What real texts are made of, to tell in which of the old encodings a file was written."""

FREQUENT_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员"
    "解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件"
    "计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象"
    "完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
    "单订付款货库存价格店退券购台户商客服务费用额未请请收转步测试版需求页按钮字段接口端查询状态"
)
FREQUENT_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
    "用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
    "日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政"
    "美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員"
    "解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件"
    "計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象"
    "完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運"
    "單訂付款貨庫存價格店退券購台臺戶商客服務費用額未請收轉步測試版需求頁按鈕字段接口端查詢狀態鐘"
)
FREQUENT_KOREAN = frozenset(
    "이다는에의을를가은로한고하지도사기서니자인해리으어시대과나여부그일게들있수정전원제주보문후분동취소상조구"
    "습합된됩않료물내국공장전면만요라것안"
)

# The letters beyond ASCII of a language, and words without which hardly a text of it gets along.
LETTERS_AND_WORDS = {
    "English": ("éèïêçôÉ", "the of and to in is are for with that on be as at from by or an"),
    "German": (
        "äöüÄÖÜß",
        "der die das und ist nicht ein eine mit von zu für auf den im dem wird nach bei sind",
    ),
    "French": (
        "àâçéèêëîïôûùüÿœæÀÂÇÉÈÊËÎÏÔÛÙÜŒÆ",
        "le la les de des du et est un une pour dans par sur au aux en que qui sont avec après",
    ),
    "Spanish": ("áéíóúüñÁÉÍÓÚÜÑ", "el la los las de del y es un una para con por en que se al"),
    "Portuguese": (
        "ãõáàâçéêíóôúüÃÕÁÀÂÇÉÊÍÓÔÚ",
        "o os as de do da dos das e um uma para com por em que se ao na no não",
    ),
    "Italian": (
        "àèéìíòóùúÀÈÉÌÒÙ",
        "il lo la gli le di del della e un una per con in che si è sono",
    ),
    "Dutch": ("ëïéèöüáóË", "de het een en van is in op te dat voor met niet zijn aan worden"),
    "Swedish": ("åäöéÅÄÖÉ", "och att det en ett av för är på som med till inte den om från"),
    "Danish": ("æøåéÆØÅ", "og i at det en et af er på som med til ikke den for fra der"),
    "Finnish": ("äöåÄÖÅ", "ja on ei se että joka tai ovat kun mutta myös jos sekä niin"),
}
