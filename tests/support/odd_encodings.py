"""The same texts in many encodings: those that are read and those that must be refused."""

from functools import partial

from tests.support.odd_documents import OddDocument
from tests.support.odd_texts import CHINESE, ENGLISH, NOT_RECOGNISED

TRADITIONAL = "未付款訂單在三十分鐘後自動取消，庫存同時釋放，優惠券退回帳戶。"
GERMAN = "Die Bestellung wird nach 30 Minuten storniert, und für größere Mengen gilt eine Frist."
FRENCH = "La commande est annulée après 30 minutes et le stock est libéré pour les autres."
ENGLISH_SIGNS = "The café’s order is “cancelled” after 30 minutes – and it costs 5 € to the buyer."
JAPANESE = "注文は三十分後に自動的に取り消されます。在庫も同時に解放されます。"
KOREAN = "주문은 삼십 분 후에 자동으로 취소되고 재고도 함께 반환됩니다."
READ = (
    (CHINESE, ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")),
    (CHINESE, ("gb2312", "gbk", "gb18030")),
    (TRADITIONAL, ("utf-8", "utf-16", "big5", "cp950", "gbk")),
    (ENGLISH, ("ascii", "utf-16", "utf-16-le", "utf-16-be", "utf-32")),
    (GERMAN, ("utf-8", "latin-1", "cp1252")),
    (FRENCH, ("latin-1",)),
    (ENGLISH_SIGNS, ("cp1252",)),
)
REFUSED = (
    (JAPANESE, ("shift-jis", "euc-jp", "iso2022-jp")),
    (KOREAN, ("euc-kr", "johab", "iso2022-kr")),
    (CHINESE, ("hz", "utf-16-le-cut")),
    (GERMAN, ("mac-roman", "cp437", "cp850", "cp037")),
    ("Заказ отменяется через тридцать минут.", ("koi8-r", "cp1251", "cp866", "iso8859-5")),
    ("Objednávka se zruší po třiceti minutách a zásoby se uvolní.", ("cp1250", "iso8859-2")),
    ("Zamówienie zostanie anulowane, a środki zwrócone na konto.", ("cp1250", "iso8859-2")),
    ("Comanda se anulează după treizeci de minute.", ("cp1250",)),
    ("A rendelés törlődik és a készlet felszabadul, erről értesítőt küldünk.", ("cp1250",)),
    ("Sipariş otuz dakika sonra iptal edilir ve stok serbest bırakılır.", ("cp1254",)),
    ("Η παραγγελία ακυρώνεται μετά από τριάντα λεπτά.", ("cp1253",)),
    ("ההזמנה מבוטלת אחרי שלושים דקות.", ("cp1255",)),
    ("تم إلغاء الطلب بعد ثلاثين دقيقة.", ("cp1256",)),
    ("คำสั่งซื้อจะถูกยกเลิกหลังจากสามสิบนาที", ("tis-620",)),
    ("Đơn hàng bị hủy sau ba mươi phút.", ("cp1258",)),
)


def encoded_texts() -> list[OddDocument]:
    """Texts whose encoding must be recognised."""
    documents: list[OddDocument] = []
    for number, (text, encodings) in enumerate(READ):
        for encoding in encodings:
            make = partial(text.encode, encoding)
            name = f"text-{number}-{encoding}.txt"
            documents.append(OddDocument(name=name, make=make, words=(text,)))
    return documents


def foreign_encodings() -> list[OddDocument]:
    """Texts in encodings that are not read: no letter of them may come out wrong."""
    documents: list[OddDocument] = []
    for number, (text, encodings) in enumerate(REFUSED):
        for encoding in encodings:
            make = partial(_encoded, text, encoding)
            name = f"foreign-{number}-{encoding}.txt"
            documents.append(OddDocument(name=name, make=make, refused=NOT_RECOGNISED))
    return documents


def _encoded(text: str, encoding: str) -> bytes:
    if encoding == "utf-16-le-cut":
        return text.encode("utf-16-le")[1:]
    return text.encode(encoding, errors="ignore")
