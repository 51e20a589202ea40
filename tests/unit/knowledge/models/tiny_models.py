"""Models of a few thousand random weights, which load and run in no time."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertModel,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

WORDS = (
    "orders",
    "are",
    "cancelled",
    "after",
    "thirty",
    "minutes",
    "tea",
    "gift",
    "cards",
    "refund",
)
SPECIAL_TOKENS = ("<s>", "<pad>", "</s>", "<unk>")


def write_tiny_bert(folder: Path) -> None:
    """A sentence-transformers folder with mean pooling, 32 dimensions and 16 tokens a text."""
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(SPECIAL_TOKENS) + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=16,
        pad_token_id=1,
    )
    BertModel(config).save_pretrained(folder)
    write_tiny_tokenizer(folder)
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {
            "idx": 1,
            "name": "1",
            "path": "1_Pooling",
            "type": "sentence_transformers.models.Pooling",
        },
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 16}')
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))


def write_tiny_cross_encoder(folder: Path, label_count: int = 1) -> None:
    """A folder of the kind of BAAI/bge-reranker-base."""
    torch.manual_seed(7)
    config = XLMRobertaConfig(
        vocab_size=len(SPECIAL_TOKENS) + len(WORDS),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=66,
        initializer_range=0.5,
        num_labels=label_count,
    )
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    write_tiny_tokenizer(folder)


def write_tiny_tokenizer(folder: Path) -> None:
    id_by_word = {word: token_id for token_id, word in enumerate((*SPECIAL_TOKENS, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(id_by_word, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    fast_tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=64,
        model_input_names=["input_ids", "attention_mask"],
    )
    fast_tokenizer.save_pretrained(folder)
