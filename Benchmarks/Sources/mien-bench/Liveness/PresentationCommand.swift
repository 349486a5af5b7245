import ArgumentParser
import Foundation
import MienFace
import MienModels
import MienTools

/// `mien-bench liveness presentation`
struct PresentationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presentation",
        abstract:
            "Measure the presentation check alone, frame by frame: genuine clips, the same on simulated screens, and attacks, by level of light and by group.",
        discussion: """
            Reads every video and picture in the folders. Prints counts only. GROUPS is a CSV file with \
            the columns file and group, such as "clips/a.mp4,dark skin"; a file is the path inside its \
            folder. Names of groups are printed as they are.

            EXAMPLE
              mien-bench liveness presentation clips --attacks samples --pack my-pack-1
              mien-bench liveness presentation clips --groups groups.csv --pack my-pack-1
              mien-bench liveness presentation clips --photos photos --people 40
            """)

    @Argument(help: ArgumentHelp("A folder of clips of people, in folders of any depth."))
    var genuine: String
    @Option(
        help: ArgumentHelp(
            "Also animate photos of this folder, with one folder of photos per person, and show them on simulated screens.",
            valueName: "folder"))
    var photos: String?
    @Option(help: ArgumentHelp("How many people's photos to animate.", valueName: "n"))
    var people = 40
    @Option(
        help: ArgumentHelp(
            "The people to use: those on whose photos limits are chosen, or others.",
            valueName: "development|final"))
    var part = PADPart.development
    @Option(
        help: ArgumentHelp("A folder of clips and pictures of attacks.", valueName: "folder"))
    var attacks: String?
    @Option(
        help: ArgumentHelp(
            "Report by the groups in this CSV file, too, with 95 % intervals.",
            valueName: "file"))
    var groups: String?
    @Option(
        help: ArgumentHelp("Read every n-th frame of a video.", valueName: "n")) var every = 2
    @OptionGroup var engine: EngineOptions

    func validate() throws {
        guard (1...1000).contains(every) else {
            throw ValidationError("--every must be 1 to 1000, not \(every)")
        }
        guard (1...1000).contains(people) else {
            throw ValidationError("--people must be 1 to 1000, not \(people)")
        }
    }

    func run() async throws {
        let pack = try engine.loadPack()
        let trials = PresentationTrials(
            engine: try engine.loadEngine(pack, looksForAttacks: true), every: every)
        let groups = try groups.map { try GroupFile(path: $0) }
        var report = PresentationReport()
        for path in try PresentationTrials.files(in: genuine) {
            let frames = try await trials.frames("\(genuine)/\(path)")
            for light in LightLevel.allCases {
                let trial = try await trials.trial(frames, light: light)
                report.add(trial, .init(kind: .genuine, light: light))
                if light == .full, let group = groups?.group(of: path) {
                    report.add(trial, .init(kind: .group(group), light: light))
                }
            }
            if frames.count >= PresentationTrials.minFrames {
                report.add(
                    try await trials.trial(trials.onScreen(frames), light: .full),
                    .init(kind: .simulatedScreen, light: .full))
            }
        }
        if let attacks {
            for path in try PresentationTrials.files(in: attacks) {
                let frames = try await trials.frames("\(attacks)/\(path)")
                for light in LightLevel.allCases {
                    report.add(
                        try await trials.trial(frames, light: light),
                        .init(kind: .attack, light: light))
                }
            }
        }
        if let photos {
            let photos = try PersonPhotos(folder: photos)
            var number = part.firstPhoto, used = 0
            while used < people, number < photos.files.count {
                let photo = try photos.photo(number)
                number += 1
                guard let head = try await trials.head(photo, seed: UInt64(number)) else {
                    continue
                }
                used += 1
                for (kind, frames) in trials.shown(head, seed: UInt64(number)) {
                    report.add(
                        try await trials.trial(frames, light: .full),
                        .init(kind: kind, light: .full))
                }
            }
        }
        print(report.table)
    }
}
