"""Builds the tokenizer of XLM-R from its vocabulary and scores."""

from collections.abc import Sequence

from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import Unigram
from tokenizers.processors import TemplateProcessing

START, PAD, END, UNKNOWN, MASK = "<s>", "<pad>", "</s>", "<unk>", "<mask>"
FULLWIDTH_TILDE = "\uff5e"
STAND_IN = "\ufdd1"
"""A code point that no text has, in the tilde's place while NFKC is at work."""
DROPPED = r"[\x{0001}-\x{0008}\x{000B}\x{000E}-\x{001F}\x{007F}\x{008F}\x{009F}]"
READ_AS_SPACE = r"[\t\n\x{000C}\r\x{1680}\x{200B}-\x{200F}\x{2028}\x{2029}\x{2581}\x{FEFF}\x{FFFD}]"


def build_unigram_tokenizer(pieces: Sequence[str], scores: Sequence[float]) -> Tokenizer:
    """A tokenizer with the ids, normalisation and special tokens of XLM-R.

    `pieces` stand in the order of their ids and contain the special tokens. The normalisation is
    sentencepiece's nmt_nfkc: NFKC, control letters dropped, white space folded to one space; the
    full-width tilde stays as it is, as in the original.
    """
    vocabulary = list(zip(pieces, scores, strict=True))
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=pieces.index(UNKNOWN), byte_fallback=False))
    tokenizer.normalizer = _normalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = TemplateProcessing(
        single=f"{START} $A {END}",
        pair=f"{START} $A {END} {END} $B {END}",
        special_tokens=[(START, pieces.index(START)), (END, pieces.index(END))],
    )
    special_tokens = [AddedToken(text, special=True) for text in (START, PAD, END, UNKNOWN)]
    mask = AddedToken(MASK, lstrip=True, special=True)
    tokenizer.add_special_tokens([*special_tokens, mask])
    return tokenizer


def _normalizer() -> normalizers.Normalizer:
    return normalizers.Sequence(
        [
            normalizers.Replace(Regex(DROPPED), ""),
            normalizers.Replace(Regex(READ_AS_SPACE), " "),
            normalizers.Replace(FULLWIDTH_TILDE, STAND_IN),
            normalizers.NFKC(),
            normalizers.Replace(STAND_IN, FULLWIDTH_TILDE),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(),
        ]
    )
