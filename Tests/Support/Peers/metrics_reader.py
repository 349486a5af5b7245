"""Parses {"text"} with Prometheus's own client library. Prints {"families"}: name, type, help, and samples of each, or {"error"}."""

from prometheus_client.parser import text_string_to_metric_families

from common import settings, tell

try:
    tell(
        families=[
            {
                "name": family.name,
                "type": family.type,
                "help": family.documentation,
                "samples": [{"name": sample.name, "labels": sample.labels, "value": str(sample.value)} for sample in family.samples],
            }
            for family in text_string_to_metric_families(settings()["text"])
        ]
    )
except ValueError as error:
    tell(error=str(error))
