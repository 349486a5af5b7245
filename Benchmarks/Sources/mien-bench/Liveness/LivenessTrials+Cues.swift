import Foundation
import MienFace
import MienMedia
import MienModels
import MienTesting

extension LivenessTrials {
    /// Prints quantiles of the print and screen cues for each kind of picture. Applies no limit.
    func cues(photos count: Int, clips: Clips?, pictures: [String]) async throws {
        var values: [TextureCues] = [], screens: [TextureCues] = [], large: [TextureCues] = []
        for number in 0..<count {
            let photo = try photos.photo(number)
            guard let cues = try await cues(of: photo) else { continue }
            values.append(cues)
            guard number % 8 == 0 else { continue }
            let still = RecordedClip([photo], framesPerSecond: 1)
            var device = ShownOnScreen(still),
                television = ShownOnScreen(still, bezel: 0, margin: 0)
            if let cues = try await self.cues(of: device.image(asked: nil, at: 0)) {
                screens.append(cues)
            }
            if let cues = try await self.cues(of: television.image(asked: nil, at: 0)) {
                large.append(cues)
            }
        }
        tell("photos", values)
        tell("synthetic device", screens)
        tell("synthetic large screen", large)
        for name in clips == nil
            ? []
            : [Clips.couple, Clips.man, Clips.woman]
                + (Clips.signs + Clips.otherSigns).map(Clips.sign)
        {
            var values: [TextureCues] = []
            for frame in try await clips?.frames(name).enumerated().filter({ $0.offset % 4 == 0 })
                .map(\.element) ?? []
            {
                if let cues = try await cues(of: frame) { values.append(cues) }
            }
            tell(name, values)
        }
        for path in pictures {
            if let cues = try await cues(of: try ImageFile.decode(path)) {
                tell(URL(filePath: path).lastPathComponent, [cues])
            }
        }
    }

    private func cues(of image: RGBImage) async throws -> TextureCues? {
        try await engine.run { analyzer, networks in
            try LiveAnalyzer(analyzer).reading(
                of: Frame(image: image, time: .zero), index: 0, with: networks
            ).face?.texture
        }
    }

    private func tell(_ name: String, _ values: [TextureCues]) {
        func quantiles(_ values: [Double]) -> String {
            let sorted = values.sorted()
            guard !sorted.isEmpty else { return "–" }
            return [0.5, 0.95, 0.99, 1].map {
                String(
                    format: "%.3g", sorted[min(sorted.count - 1, Int($0 * Double(sorted.count)))])
            }
            .joined(separator: " / ")
        }
        say(
            "\(name) | \(values.count) | \(quantiles(values.compactMap(\.peak))) | \(quantiles(values.map(\.glare))) | \(quantiles(values.map(\.border)))"
        )
    }
}
