import Foundation
import MienCore
import MienFace
import MienModels
import MienTools
import MienVault
import Testing

/// Successful calibration and evaluation with synthetic people, whose descriptors are in the cache
/// as if photos had been processed.
@Suite(.needsPack) struct CalibrateTests {
    /// People whose photo files are not photos; only the cache has their descriptors.
    private struct People {
        let home: TemporaryHome
        let folder: URL

        init(_ count: Int, photosEach: Int) throws {
            home = try TemporaryHome()
            folder = home.files.appending(path: "people", directoryHint: .isDirectory)
            let pack = try ModelPack(folder: TemporaryHome.Machine.pack)
            let cache = try DescriptorCache.open(
                folder: home.mienHome.appending(path: "cache/evaluation").path,
                keyPath: home.mienHome.appending(path: "evaluation.key").path,
                pipeline: try DescriptorReader.pipeline(of: pack, EngineOptions.parse([])))
            var random = SeededGenerator(seed: 7)
            for person in 0..<count {
                // With a dot, as in real names.
                let name = "P.\(person)",
                    personFolder = folder.appending(path: name, directoryHint: .isDirectory)
                try FileManager.default.createDirectory(
                    at: personFolder, withIntermediateDirectories: true)
                let center = (0..<128).map {
                    $0 < 16 ? Float(random.normal()) + ($0 == 0 ? 3 : 0) : 0
                }
                for photo in 1...photosEach {
                    let bytes = Array("\(name) \(photo)".utf8)
                    try Data(bytes).write(
                        to: personFolder.appending(path: String(format: "%@_%04d.jpg", name, photo))
                    )
                    let vector = center.enumerated().map {
                        $1 + ($0 < 16 ? 0.25 : 0.02) * Float(random.normal())
                    }
                    cache.keep(
                        .init(
                            descriptor: try FaceDescriptor(normalizing: vector),
                            quality: UInt8(40 + photo)), for: bytes)
                }
            }
        }

        /// One fold with this many pairs of each kind.
        func pairs(_ count: Int) throws -> String {
            let mated = (0..<count).map { "P.\($0)\t1\t2" },
                others = (0..<count).map { "P.\($0)\t1\tP.\($0 + 1)\t2" }
            return try home.write(
                Array((["1\t\(count)"] + mated + others).joined(separator: "\n").utf8),
                as: "pairs.txt")
        }
    }

    @Test func `a calibration is written, installed, and used`() async throws {
        let people = try People(120, photosEach: 2), home = people.home
        let output = home.files.appending(path: "calibration").path
        let words = [
            "face", "calibrate", people.folder.path, "--output", output, "--install", "mine-1",
            "--cohort", "500", "--folds", "3", "--normalization", "as-norm",
        ]
        let made = try await home.mien(words + ["--dataset", "made up", "--json"])
        #expect(made.status == 0, "\(made.err)")
        let object = try made.json
        #expect(
            object.keys.sorted() == [
                "faceless", "folder", "installed", "measurement", "normalization",
            ])
        #expect(
            object["installed"] as? String == "mine-1" && object["folder"] as? String == output
                && object["faceless"] as? Int == 0)
        let measurement = try #require(object["measurement"] as? [String: Any])
        #expect(
            measurement["people"] as? Int == 120 && measurement["photos"] as? Int == 240
                && measurement["dataset"] as? String == "made up")

        let table = try JSONDecoder().decode(
            CalibrationTable.self,
            from: Data(contentsOf: URL(filePath: output + "/calibration.json")))
        let cohort = try Cohort(
            bytes: [UInt8](Data(contentsOf: URL(filePath: output + "/cohort.bin"))))
        #expect(table.measurement.people == 120 && cohort.count == 500 && cohort.dimension == 128)
        #expect(try await home.mien("models", "verify", "mine-1").status == 0)
        let matcher = try PackLibrary(folder: home.packs).pack(PackID("mine-1")).matcher()
        #expect(matcher.calibration == table && matcher.cohort?.bytes == cohort.bytes)

        // With groups, the table says what each group gets.
        let rows = (0..<120).map { "P.\($0)\t\($0 < 60 ? "a" : "b")" }
        let list = try home.write(
            Array((["person\tteam"] + rows).joined(separator: "\n").utf8), as: "teams.tsv")
        let grouped = try await home.mien(
            "face", "calibrate", people.folder.path, "--output", output, "--cohort", "500",
            "--folds", "3", "--normalization", "as-norm", "--groups", list, "--json")
        #expect(grouped.status == 0, "\(grouped.err)")
        let rates = try #require(
            (try grouped.json["measurement"] as? [String: Any])?["groupRates"] as? [[String: Any]])
        #expect(rates.map { $0["group"] as? String } == ["a", "b", "a", "b"])
        #expect(rates.map { $0["score"] as? Double } == [48, 48, 60, 60])
        #expect(
            rates.allSatisfy { $0["column"] as? String == "team" && $0["people"] as? Int == 60 })
        let nobody = try await home.mien(
            "face", "calibrate", people.folder.path, "--output", output, "--groups",
            try home.write(Array("person,team\nX,a\nY,b\n".utf8), as: "nobody.csv"), "--json")
        #expect(try nobody.status == 2 && nobody.error.code == "groups.nobody")

        // The same name is refused before the long work, although that folder is empty.
        let again = try await home.mien(
            "face", "calibrate", home.files.path, "--install", "mine-1", "--json")
        #expect(
            try again.status == 3 && again.error.code == "pack.conflict"
                && again.err.contains("mine-1"))

        let evaluated = try await home.mien(
            "face", "evaluate", people.folder.path, "--pack", "mine-1", "--no-cache", "--json")
        #expect(
            try evaluated.status == 2 && evaluated.error.code == "folder.no-faces",
            "without the cache, these files are not photos: \(evaluated.err)")
    }

    @Test func `a calibration by plain cosine installs a pack without a cohort`() async throws {
        let people = try People(60, photosEach: 3), home = people.home
        let made = try await home.mien(
            "face", "calibrate", people.folder.path, "--output", home.files.path + "/calibration",
            "--install", "mine-1", "--normalization", "none", "--json")
        #expect(try made.status == 0 && made.json["normalization"] as? String == "none")
        #expect(try await home.mien("models", "verify", "mine-1").status == 0)
        let pack = try PackLibrary(folder: home.packs).pack(PackID("mine-1"))
        #expect(pack.manifest.cohort == nil)
        #expect(!pack.manifest.files.contains { $0.name == "cohort.bin" })
        #expect(try pack.matcher().cohort == nil)

        let evaluated = try await home.mien(
            "face", "evaluate", people.folder.path, "--cross-fit", "--normalization", "none",
            "--json")
        #expect(evaluated.status == 0, "\(evaluated.err)")
        let object = try evaluated.json
        #expect(object["normalization"] as? String == "none")
        let accepts = try #require(object["true_accepts"] as? [[String: Any]])
        #expect(accepts.count == 5)
        for row in accepts {
            let interval = try #require(row["per_person_interval"] as? [Double])
            #expect(interval.count == 2 && interval[0] <= interval[1])
            #expect(row["per_person"] as? Double ?? 2 <= 1)
        }
        let templates = try #require(object["templates"] as? [[String: Any]])
        #expect(templates.map { $0["photos"] as? Int } == [1, 1, 2, 2])
    }

    @Test func `a normalization is chosen only where cohorts are fitted again`() async throws {
        let people = try People(3, photosEach: 2)
        let result = try await people.home.mien(
            "face", "evaluate", people.folder.path, "--normalization", "none", "--json")
        #expect(result.status == 2 && result.err.contains("--cross-fit"))
    }

    @Test func `groups of people are compared, and a bad list is named with its line`()
        async throws
    {
        let people = try People(40, photosEach: 3), home = people.home
        func evaluate(_ csv: String, _ words: String...) async throws -> MienProgram.Result {
            let list = try home.write(Array(csv.utf8), as: "groups.csv")
            return try await home.mien(
                ["face", "evaluate", people.folder.path, "--groups", list] + words)
        }
        let rows = (0..<40).map { "P.\($0),\($0 < 20 ? "young" : "old")" }
        let csv = (["person,age"] + rows + ["Nobody,old"]).joined(separator: "\n")
        let result = try await evaluate(csv, "--json")
        #expect(
            result.status == 0 && result.err.contains("1 people of the groups"), "\(result.err)")
        let groups = try #require(try result.json["groups"] as? [[String: Any]])
        #expect(groups.map { $0["score"] as? Double } == [48, 60])
        #expect(groups.allSatisfy { $0["column"] as? String == "age" })
        let each = try #require(groups[0]["groups"] as? [[String: Any]])
        #expect(each.map { $0["group"] as? String } == ["young", "old"])
        for group in each {
            let missed = try #require(group["false_non_matches"] as? [String: Any])
            #expect(missed["comparisons"] as? Int == 60 && group["people"] as? Int == 20)
            #expect((missed["interval"] as? [Double])?.count == 2)
        }
        #expect(groups[0]["false_match_ratio"] is [String: Any])
        let text = try await evaluate(csv)
        #expect(text.status == 0 && text.out.contains("age, at 48"))
        #expect(text.out.contains("worst-to-best ratio of false non-matches, "))

        let bad = try await evaluate("person,age\nP.1,young\nP.1,old\n", "--json")
        #expect(try bad.status == 2 && bad.error.code == "groups.malformed")
        #expect(bad.err.contains("line 3") && bad.err.contains("one line"))
        let nobody = try await evaluate("person,age\nX,young\nY,old\n", "--json")
        #expect(try nobody.status == 2 && nobody.error.code == "groups.nobody")
    }

    @Test func `people are evaluated with a list of pairs, including names with dots`() async throws
    {
        let people = try People(40, photosEach: 2), home = people.home
        let result = try await home.mien(
            "face", "evaluate", people.folder.path, "--pairs", try people.pairs(30), "--json")
        #expect(result.status == 0, "\(result.err)")
        let object = try result.json
        let accuracy = try #require(object["accuracy"] as? [String: Any])
        #expect(
            accuracy["mean"] as? Double ?? 0 > 0.9
                && (accuracy["per_fold"] as? [Double])?.count == 1
        )
        #expect(object["cross_fitted"] as? Bool == false && object["mated_pairs"] as? Int == 40)
    }

    @Test func `people are evaluated with cohorts of other people`() async throws {
        let people = try People(60, photosEach: 2)
        let result = try await people.home.mien(
            "face", "evaluate", people.folder.path, "--pairs", try people.pairs(50), "--cross-fit",
            "--output", people.home.files.path + "/report")
        #expect(
            result.status == 0
                && result.out.contains("every pair scored with a cohort of other people"),
            "\(result.err)")
        #expect(FileManager.default.fileExists(atPath: people.home.files.path + "/report/det.png"))
    }

    @Test func `too few people for a cohort are explained in words`() async throws {
        let people = try People(3, photosEach: 2)
        for command in ["calibrate", "evaluate"] {
            let words = [
                "face", command, people.folder.path, "--output", people.home.files.path + "/out",
                "--json",
            ]
            let result = try await people.home.mien(
                words + (command == "evaluate" ? ["--cross-fit"] : []))
            let error = try result.error
            #expect(
                result.status == 2 && error.code == "\(command).too-few"
                    && error.message.contains("12 pairs of photos of two people"))
            #expect(!error.message.contains("tooFew"), "\(error.message)")
        }
    }

    @Test func `an invalid list of pairs is explained in words, with the line`() async throws {
        let people = try People(2, photosEach: 1)
        for (text, expected) in [
            ("1 1\nP.0 1 2\n", "declares 2 pairs, but there are 1"), ("hello", "line 1"),
            ("1 1\nP.0 1 2\nP.0 1 P.0 2", "line 3"),
        ] {
            let list = try people.home.write(Array(text.utf8), as: "bad.txt")
            let result = try await people.home.mien(
                "face", "evaluate", people.folder.path, "--pairs", list, "--json")
            let error = try result.error
            #expect(
                result.status == 2 && error.code == "pairs.malformed"
                    && error.message.hasPrefix(list) && error.message.contains(expected))
            #expect(!error.message.contains("(expected"), "\(error.message)")
        }
    }

    @Test func `an output folder that cannot be written is found before the long work`()
        async throws
    {
        let people = try People(2, photosEach: 1), file = try people.home.write([1], as: "file")
        for command in ["calibrate", "evaluate"] {
            let result = try await people.home.mien(
                "face", command, people.folder.path, "--output", file + "/out", "--json")
            #expect(
                try result.status == 2 && result.error.code == "file.not-writable"
                    && result.err.contains("\(file) is not a folder"))
        }
    }
}
