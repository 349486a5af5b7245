internal import Foundation

/// How the light of a face follows the colors of a screen.
///
/// The logarithm of a color channel's light is the sum of the surface's part, the lights', and the
/// camera's. The ratio of channels removes shade, movement, and exposure; the ratio to what is behind
/// the face removes the white balance. The rest follows the screen, a little later.
struct LightEstimate: Sendable, Hashable {
    /// 0...1: the correlation of the face's colors with the screen's.
    let correlation: Double
    /// The time from the sequence to the picture at which it is highest.
    let delay: Duration
    /// 0...1: how unlike a print, and how like a head, the parts of the face reflect. A print reflects
    /// screen and room in one proportion everywhere (0); on a head, the reflection depends on where a
    /// part faces (1). `nil` when noise hides it.
    let relief: Double?

    /// The delays to try: of the network, the screen, and the camera.
    static let delays = stride(from: 0, through: 600, by: 40).map { Duration.milliseconds($0) }

    /// - Parameters:
    ///   - samples: In order of time. At least eight, with equally many regions.
    init?(_ samples: [(time: Duration, sample: LightSample)], of challenge: LightChallenge) {
        guard samples.count >= 8, let count = samples.first?.sample.regions.count, count > 0,
            samples.allSatisfy({ $0.sample.regions.count == count })
        else { return nil }
        let times = samples.map { $0.time.seconds }, trend = Trend(times)
        var parts: [Ratios] = (0..<count).map { part in
            Ratios(samples.map { $0.sample.regions[part].light })
        }
        var face = Ratios(meanOf: parts)
        if let room = Ratios(samples.map(\.sample.background)), room.jitter < 2 * face.jitter {
            face.subtract(room)
            for part in parts.indices { parts[part].subtract(room) }
        }
        face.remove(trend)
        for part in parts.indices { parts[part].remove(trend) }
        let total = face.power
        guard total > 0 else { return nil }

        var best: (explained: Double, delay: Duration, screen: Ratios)?
        for delay in Self.delays {
            var screen = Ratios(screenAt: samples.map { $0.time - delay }, of: challenge)
            screen.remove(trend)
            let explained = screen.explained(of: face)
            if explained > best?.explained ?? -1 { best = (explained, delay, screen) }
        }
        guard let best else { return nil }
        correlation = (best.explained / total).squareRoot()
        delay = best.delay
        relief = Self.relief(
            parts, best.screen, samples: samples.map(\.sample))
    }

    /// Compares the parts' reflection with that of a print and that of a head.
    private static func relief(_ parts: [Ratios], _ screen: Ratios, samples: [LightSample])
        -> Double?
    {
        let slopes = parts.map { screen.slope(of: $0) }
        let mean = slopes.reduce(0) { $0 + $1.value } / Double(slopes.count)
        let noise = slopes.reduce(0) { $0 + $1.deviation } / Double(slopes.count)
        guard mean > 0, noise < maxNoise * mean else { return nil }
        let part = samples[0].regions.indices.map { part in
            let regions = samples.map { $0.regions[part] }, n = Double(regions.count)
            return (
                light: regions.reduce(0) { $0 + $1.light.mean } / n,
                facing: max(0.2, regions.reduce(0) { $0 + $1.facing } / n)
            )
        }
        // On a print, each part reflects the screen in the same proportion to the room's light.
        let print = slopes.map(\.value).variation
        // On a head, the screen's light is in proportion to where the part faces.
        let head = zip(slopes, part).map { $0.value * $1.light / $1.facing }.variation
        return print / max(print + head, 1e-9)
    }

    /// The largest error of a part's slope, in proportion to the slope, with which parts are
    /// compared.
    private static let maxNoise = 0.3
}

/// Two series over time: the logarithms of red ÷ green and of blue ÷ green.
private struct Ratios {
    private var values: [[Double]]

    init(_ lights: [LinearLight]) {
        func log(_ value: Double) -> Double { Foundation.log(max(value, 1e-4)) }
        values = [
            lights.map { log($0.red) - log($0.green) }, lights.map { log($0.blue) - log($0.green) },
        ]
    }

    /// `nil` if one of them is missing.
    init?(_ lights: [LinearLight?]) {
        let known = lights.compactMap(\.self)
        guard known.count == lights.count else { return nil }
        self.init(known)
    }

    init(meanOf parts: [Ratios]) {
        values = (0..<2).map { channel in
            parts[0].values[channel].indices.map { i in
                parts.reduce(0) { $0 + $1.values[channel][i] } / Double(parts.count)
            }
        }
    }

    /// The differences of the screen's channels, softened as by an exposure of a tenth of a second.
    init(screenAt times: [Duration], of challenge: LightChallenge) {
        let around = [-50, 0, 50].map { Duration.milliseconds($0) }
        let lights = times.map { time in around.map { challenge.light(at: time + $0) } }
        values = [
            lights.map { $0.reduce(0) { $0 + $1.red - $1.green } / 3 },
            lights.map { $0.reduce(0) { $0 + $1.blue - $1.green } / 3 },
        ]
    }

    /// The mean change from frame to frame.
    var jitter: Double {
        values.reduce(0) { sum, series in
            sum + zip(series, series.dropFirst()).reduce(0) { $0 + abs($1.1 - $1.0) }
        } / Double(2 * max(1, values[0].count - 1))
    }

    var power: Double { values.reduce(0) { $0 + $1.reduce(0) { $0 + $1 * $1 } } }

    mutating func subtract(_ other: Ratios) {
        for channel in values.indices {
            for i in values[channel].indices { values[channel][i] -= other.values[channel][i] }
        }
    }

    mutating func remove(_ trend: Trend) {
        for channel in values.indices { trend.remove(from: &values[channel]) }
    }

    /// Returns the part of the other's power that follows this one, with a positive slope in each
    /// channel.
    func explained(of other: Ratios) -> Double {
        values.indices.reduce(0) { sum, channel in
            let a = values[channel], product = max(0, a.product(other.values[channel]))
            return sum + product * product / max(a.product(a), 1e-12)
        }
    }

    /// Returns the slope of the other against this one, over both channels, and its error.
    func slope(of other: Ratios) -> (value: Double, deviation: Double) {
        let power = max(self.power, 1e-12)
        let value =
            values.indices.reduce(0) { $0 + values[$1].product(other.values[$1]) } / power
        var rest = 0.0, count = 0
        for channel in values.indices {
            for (a, b) in zip(values[channel], other.values[channel]) {
                rest += (b - value * a) * (b - value * a)
                count += 1
            }
        }
        return (value, (rest / Double(max(1, count - 7)) / power).squareRoot())
    }
}

/// Slow changes: a constant, a line, and a parabola over time.
private struct Trend {
    private var basis: [[Double]] = []

    init(_ times: [Double]) {
        let low = times.min() ?? 0, high = times.max() ?? 0, half = max((high - low) / 2, 1e-9)
        let scaled = times.map { ($0 - low) / half - 1 }
        for power in 0...2 {
            var column = scaled.map { pow($0, Double(power)) }
            remove(from: &column)
            let length = column.product(column).squareRoot()
            guard length > 1e-9 else { continue }
            basis.append(column.map { $0 / length })
        }
    }

    func remove(from values: inout [Double]) {
        for column in basis {
            let share = column.product(values)
            for i in values.indices { values[i] -= share * column[i] }
        }
    }
}

extension [Double] {
    fileprivate func product(_ other: [Double]) -> Double {
        zip(self, other).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// The standard deviation divided by the mean.
    fileprivate var variation: Double {
        let mean = reduce(0, +) / Double(count)
        let variance = reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
        return variance.squareRoot() / Swift.max(abs(mean), 1e-12)
    }
}
