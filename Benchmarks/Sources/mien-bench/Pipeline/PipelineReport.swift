import MienTools

/// The results of `mien-bench pipeline`, with the budgets of the design.
struct PipelineReport: Encodable {
    struct Pipeline: Encodable {
        let size: String
        let ours: [PipelineBench.Result]
        let peer: [PeerBench.Result]?

        /// Processor time summed over the photos, medians.
        var milliseconds: Double {
            ours.reduce(0) { $0 + $1.total.median.cpuMilliseconds } / Double(ours.count)
        }
        var peerMilliseconds: Double? {
            peer.map { $0.reduce(0) { $0 + $1.cpuMilliseconds } / Double($0.count) }
        }
        var ratio: Double? { peerMilliseconds.map { $0 / milliseconds } }

        private enum Key: String, CodingKey {
            case size, photos, milliseconds, peerMilliseconds, ratio
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(size, forKey: .size)
            try container.encode(ours, forKey: .photos)
            try container.encode(milliseconds, forKey: .milliseconds)
            try container.encodeIfPresent(peerMilliseconds, forKey: .peerMilliseconds)
            try container.encodeIfPresent(ratio, forKey: .ratio)
        }
    }

    var pipeline: [Pipeline] = []
    var match: MatchBench.Result?
    var start: StartBench.Result?

    var text: String {
        var rows: [[String]] = []
        for part in pipeline {
            func mean(_ value: (PipelineBench.Result) -> Stopwatch.Summary) -> Double {
                part.ours.reduce(0) { $0 + value($1).median.cpuMilliseconds }
                    / Double(part.ours.count)
            }
            let isSmall = part.size == "640×480"
            rows.append([
                "detect + mesh + align + descriptor, \(part.size)", Self.ms(part.milliseconds),
                isSmall ? "≤ 5 ms" : "",
            ])
            rows.append([
                "  of which detect / mesh / descriptor",
                [mean(\.detect), mean(\.mesh), mean(\.descriptor)].map(Self.ms).joined(
                    separator: " / "), "",
            ])
            if let peer = part.peerMilliseconds, let ratio = part.ratio {
                rows.append(["  dlib: HOG + 5 points + ResNet", Self.ms(peer), ""])
                rows.append([
                    "  times faster than dlib", String.decimal(ratio), isSmall ? "≥ 6" : "≥ 12",
                ])
                rows.append([
                    "  times faster than dlib, as commands run it (next line)",
                    String.decimal(peer / mean(\.whole)), "",
                ])
            }
            rows.append([
                "as commands run it: also eyes, quality, all crops, \(part.size)",
                Self.ms(mean(\.whole)), "",
            ])
        }
        if let match {
            rows.append([
                "1:1 comparison with score normalization",
                Self.ms(match.oneToOne.median.cpuMilliseconds), "≤ 0.2 ms",
            ])
            rows.append([
                "  with the enrolled side's reference cached",
                Self.ms(match.oneToOneKept.median.cpuMilliseconds), "",
            ])
            rows.append([
                "  with both sides' references cached",
                Self.ms(match.bothKept.median.cpuMilliseconds), "",
            ])
            rows.append([
                "search of \(match.gallery.grouped) templates",
                Self.ms(match.identify.median.cpuMilliseconds),
                match.gallery == 100_000 ? "≤ 10 ms" : "",
            ])
            rows.append([
                "  relative to reading them from memory, \(Self.ms(match.stream.median.cpuMilliseconds))",
                String.decimal(
                    match.identify.median.cpuMilliseconds / match.stream.median.cpuMilliseconds, 2),
                match.gallery >= 1_000_000 ? "≤ 1.3" : "",
            ])
        }
        if let start {
            rows.append([
                "start to first verdict, nothing cached (wall clock)",
                Self.ms(start.coldMilliseconds), "≤ 2,000 ms",
            ])
            rows.append([
                "start to first verdict, compiled networks cached (wall clock)",
                Self.ms(start.cachedMilliseconds), "≤ 600 ms",
            ])
            rows.append([
                "resident memory", "\(String.decimal(start.residentMebibytes, 0)) MiB", "≤ 350 MiB",
            ])
        }
        return Terminal.table(rows, heading: ["work", "measured", "budget"])
    }

    private static func ms(_ value: Double) -> String {
        "\(String.decimal(value, value < 1 ? 3 : value < 100 ? 2 : 0)) ms"
    }
}
