"""Gates A to J: what has to hold for a folder of documents and for the evaluator that made them."""
