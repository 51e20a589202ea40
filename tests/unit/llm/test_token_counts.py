"""Counting tokens: as the model's tokenizer does, or never far too low without one."""

import shutil
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from meetmind.llm.token_counts import count_tokens, estimate_tokens, tokenizer_file

PROJECT_ROOT = Path(__file__).resolve().parents[3]
SEEDS = PROJECT_ROOT / "data" / "seed"
XLM_R = PROJECT_ROOT / "models" / "multilingual-e5-small" / "tokenizer.json"
BERT = PROJECT_ROOT / "models" / "all-MiniLM-L6-v2" / "tokenizer.json"
MOST_TOO_LOW = 0.85
MOST_TOO_HIGH = 1.6


@pytest.mark.parametrize("tokenizer_path", [XLM_R, BERT], ids=["xlm-r", "bert"])
@pytest.mark.parametrize(
    "name",
    [
        "backend/coupon-service-handbook.md",
        "backend/on-call-runbook-zh.md",
        "backend/order-lifecycle-zh.md",
        "frontend/cart-and-product-page-behaviour.md",
        "product_manager/business-glossary-zh.json",
    ],
)
def test_an_estimate_is_never_far_below_a_real_count(tokenizer_path: Path, name: str) -> None:
    if not tokenizer_path.is_file():
        pytest.skip("the models are made by the first start of the app")
    tokenizer = _tokenizer(tokenizer_path)
    text = (SEEDS / name).read_text(encoding="utf-8")
    counted = len(tokenizer.encode(text, add_special_tokens=False).ids)
    assert MOST_TOO_LOW * counted <= estimate_tokens(text) <= MOST_TOO_HIGH * counted


def test_chinese_is_not_counted_by_four_characters_a_token() -> None:
    text = "未支付订单在十五分钟后自动取消，库存随即释放。"
    assert estimate_tokens(text) >= 0.85 * len(text)
    assert estimate_tokens("The order is cancelled after fifteen minutes.") <= 14


def test_scripts_that_nobody_expects_are_counted_too() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("注文は自動で取り消されます") >= 10
    assert estimate_tokens("Заказ отменяется") >= 8
    assert estimate_tokens("😀😀😀") >= 3


def test_the_tokenizer_of_the_model_counts_where_there_is_one(tmp_path: Path) -> None:
    if not XLM_R.is_file():
        pytest.skip("the models are made by the first start of the app")
    path = tokenizer_file("someone/model-7b", tmp_path)
    path.parent.mkdir(parents=True)
    shutil.copyfile(XLM_R, path)
    text = "库存预占 15 分钟 and then it is released."
    expected = len(_tokenizer(XLM_R).encode(text, add_special_tokens=False).ids)
    assert count_tokens(text, "someone/model-7b", tmp_path) == expected
    assert count_tokens(text, "another-model", tmp_path) == estimate_tokens(text)


def test_a_tokenizer_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    path = tokenizer_file("broken", tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    assert count_tokens("two words", "broken", tmp_path) == estimate_tokens("two words")


def _tokenizer(path: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
