"""Exports a BERT encoder to ONNX with int8 weights."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

OPSET = 17
MASKED = -10_000.0
"""Added to the attention score of padding: far below any score, and finite in every format."""
FLOAT = 1
"""onnx's number for float32, for tensors whose type the quantiser cannot infer."""
WORD_TABLE = "model.embeddings.word_embeddings.weight"
STAND_IN_ROWS = 8
BYTE_STEPS = 255
CHUNK_ROWS = 16_384


def write_int8_export(source: Path, target: Path) -> None:
    """Export the BERT model in the folder `source` to the file `target`.

    Inputs are `input_ids` and `attention_mask` (batch, length) int64, the output is
    `token_vectors` (batch, length, dimensions) float32. The weights of the matrix products are
    int8, one scale a column: with one scale a matrix MiniLM falls from cosine 0.986 to 0.946.
    `reduce_range` keeps to 7 bits, because processors with AVX2 alone overflow at 8; it costs
    0.001. The word table is eight tenths of e5's weights, so it takes no part in tracing and
    quantising (3.5 GB of memory otherwise): a small one stands in for it until the end.
    """
    float_path = target.with_suffix(".float.onnx")
    with _quiet():
        word_table = _write_float_export(source, float_path)
        _quantise(float_path, target)
    float_path.unlink()
    _put_word_table(target, word_table)


def _write_float_export(source: Path, target: Path) -> np.ndarray:
    """Export the model with a word table of a few rows; gives the true table, float32."""
    import torch
    from transformers import AutoModel
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    model = AutoModel.from_pretrained(
        str(source), attn_implementation="eager", local_files_only=True, dtype=torch.float32
    )
    word_table: np.ndarray = model.embeddings.word_embeddings.weight.detach().numpy()
    model.embeddings.word_embeddings = torch.nn.Embedding(STAND_IN_ROWS, word_table.shape[1])
    ids = torch.ones((2, STAND_IN_ROWS), dtype=torch.int64)
    mask = torch.ones((2, STAND_IN_ROWS), dtype=torch.int64)
    mask[1, 5:] = 0
    free_axes = {0: "batch", 1: "length"}
    with torch.inference_mode():
        torch.onnx.export(
            _token_vectors_of(model),
            (ids, mask),
            str(target),
            dynamo=False,
            opset_version=OPSET,
            input_names=["input_ids", "attention_mask"],
            output_names=["token_vectors"],
            dynamic_axes={
                "input_ids": free_axes,
                "attention_mask": free_axes,
                "token_vectors": free_axes,
            },
        )
    return word_table


def _token_vectors_of(model: Any) -> Any:
    import torch

    class TokenVectors(torch.nn.Module):
        """The model with its attention mask written out, which keeps the graph small."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            is_padding = 1.0 - attention_mask[:, None, None, :].to(torch.float32)
            outputs = self.model(input_ids=input_ids, attention_mask=is_padding * MASKED)
            return outputs.last_hidden_state

    return TokenVectors().eval()


def _quantise(source: Path, target: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        str(source),
        str(target),
        op_types_to_quantize=["MatMul", "Gather"],
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        extra_options={"DefaultTensorType": FLOAT},
    )


def _put_word_table(path: Path, word_table: np.ndarray) -> None:
    """Replace the small table by the true one, 8 bits with one scale, in the quantiser's form."""
    import onnx
    from onnx import numpy_helper

    scale, zero_point = _scale_and_zero_point(word_table)
    true_value_by_name = {
        f"{WORD_TABLE}_quantized": _as_bytes(word_table, scale, zero_point),
        f"{WORD_TABLE}_scale": np.array(scale, np.float32),
        f"{WORD_TABLE}_zero_point": np.array(zero_point, np.uint8),
    }
    model = onnx.load(str(path))
    replaced_names: set[str] = set()
    for tensor in model.graph.initializer:
        if tensor.name in true_value_by_name:
            true_value = true_value_by_name[tensor.name]
            tensor.CopyFrom(numpy_helper.from_array(true_value, tensor.name))
            replaced_names.add(tensor.name)
    if replaced_names != set(true_value_by_name):
        raise ValueError("the quantised graph has no word table")
    onnx.save(model, str(path))


def _scale_and_zero_point(table: np.ndarray) -> tuple[float, int]:
    lowest = min(float(table.min()), 0.0)
    highest = max(float(table.max()), 0.0)
    scale = (highest - lowest) / BYTE_STEPS
    return scale, round(-lowest / scale)


def _as_bytes(table: np.ndarray, scale: float, zero_point: int) -> np.ndarray:
    as_bytes = np.empty(table.shape, np.uint8)
    for start in range(0, len(table), CHUNK_ROWS):
        steps = np.rint(table[start : start + CHUNK_ROWS] / scale) + zero_point
        as_bytes[start : start + CHUNK_ROWS] = np.clip(steps, 0, BYTE_STEPS)
    return as_bytes


@contextmanager
def _quiet() -> Iterator[None]:
    """Tracing warns of its own deprecation, quantising advises steps that change nothing here."""
    root = logging.getLogger()
    level = root.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root.setLevel(logging.ERROR)
        try:
            yield
        finally:
            root.setLevel(level)
