import Foundation
import MienCore
import MienFace
import MienModels
import MienTesting
import Testing

@Suite("Pack manifest")
struct PackManifestTests {
    /// Returns the faults after one change.
    private func faults(_ path: String, _ value: Any?) throws -> [String] {
        var text = ManifestText()
        text[path] = value
        return try text.manifest().faults
    }

    @Test("the default pack's manifest has no faults and describes the pack")
    func defaultPack() throws {
        let manifest = try ManifestText().manifest()
        #expect(manifest.faults.isEmpty)
        #expect(manifest.id == PackLibrary.basicID)
        #expect(
            FaceNetwork.allCases.allSatisfy {
                (manifest.file(of: $0) != nil) == ($0 != .presentationAttack)
            })
        #expect(manifest.file(of: .mesh) == "face_landmark.tflite")
        #expect(
            manifest.files.allSatisfy {
                !$0.license.isEmpty && !$0.source.isEmpty && $0.sha256.utf8.count == 64
            })
    }

    @Test("the geometry used in tests matches the default pack's")
    func geometry() throws { #expect(try ManifestText().manifest().geometry == .defaultPack) }

    @Test("another format is a fault that names both")
    func format() throws {
        let found = try faults("format", "mien-model-pack/2")
        #expect(
            found == ["the format is “mien-model-pack/2”; this version reads “mien-model-pack/1”"])
    }

    @Test(
        "a file name that is more than a plain name is a fault",
        arguments: [
            "../x", "/etc/passwd", ".hidden", "a/b", "a\\b", "", "manifest.json", "a b", "größe",
            "a\nb", "a\u{7F}",
            String(repeating: "a", count: 129), ".", "..",
        ])
    func fileName(name: String) throws {
        let shown = name.replacing("\n", with: "\u{FFFD}").replacing("\u{7F}", with: "\u{FFFD}")
        #expect(try faults("files.0.name", name).contains("“\(shown)” is not a plain file name"))
    }

    @Test("a file named twice is a fault")
    func twice() throws {
        #expect(try faults("files.0.name", "cohort.bin").contains("a file is named twice"))
    }

    @Test(
        "a required network without a file is a fault",
        arguments: FaceNetwork.allCases.filter { !$0.isOptional })
    func missingNetwork(network: FaceNetwork) throws {
        #expect(
            try faults("networks.\(network.rawValue)", nil) == [
                "there is no file for the \(network.rawValue) network"
            ])
    }

    @Test("the cohort may be missing")
    func withoutCohort() throws {
        var text = ManifestText()
        text["cohort"] = nil
        #expect(try text.manifest().faults.isEmpty && text.manifest().cohort == nil)
        #expect(try faults("cohort", "other.bin") == ["“other.bin” is not among its files"])
    }

    @Test("a variant replaces networks of the pack with files of the pack")
    func variants() throws {
        var text = ManifestText()
        text["variants"] = ["int8": ["mesh": "iris_landmark.tflite"]]
        let manifest = try text.manifest()
        #expect(manifest.faults.isEmpty)
        #expect(manifest.file(of: .mesh) == "face_landmark.tflite")
        #expect(manifest.file(of: .mesh, in: .int8) == "iris_landmark.tflite")
        #expect(manifest.file(of: .iris, in: .int8) == "iris_landmark.tflite")
        #expect(
            try faults("variants", ["int4": [String: String]()]) == ["“int4” is an unknown variant"]
        )
        #expect(
            try faults("variants", ["int8": ["nose": "iris_landmark.tflite"]]) == [
                "the variant int8 replaces “nose”, which is not a network of this pack"
            ])
        #expect(
            try faults("variants", ["int8": ["mesh": "small.xml"]]).sorted() == [
                "“small.bin” is not among its files", "“small.xml” is not among its files",
            ])
    }

    @Test("the full-range detector may be missing")
    func withoutFullRange() throws {
        var text = ManifestText()
        text["networks.detectorFullRange"] = nil
        text["geometry.detectorFullRange"] = nil
        #expect(try text.manifest().faults.isEmpty)
    }

    @Test(
        "the full-range detector cannot be declared only in part",
        arguments: ["networks", "geometry"])
    func halfFullRange(part: String) throws {
        #expect(
            try faults("\(part).detectorFullRange", nil) == [
                "detectorFullRange must be in both networks and geometry, or in neither"
            ])
    }

    /// The declaration of a presentation-attack network: three classes, of which the second is a
    /// face.
    private static var attack: [String: Any] {
        [
            "input": [
                "width": 80, "height": 80, "layout": "NCHW", "colour": "BGR", "mean": [0, 0, 0],
                "scale": 1,
            ],
            "cropFactor": 2.7, "activation": "softmax", "classes": 3, "live": 1, "limit": 0.5,
        ]
    }

    /// Returns the default pack's manifest, with such a network in place of its cohort's file.
    private static func withAttackNetwork(_ change: (inout ManifestText) -> Void = { _ in })
        -> ManifestText
    {
        var text = ManifestText()
        text["networks.presentationAttack"] = "mesh.onnx"
        text["geometry.presentationAttack"] = attack
        let index = (text["files"] as! [[String: Any]]).firstIndex {
            $0["name"] as? String == "face_landmark.tflite"
        }!
        text["files.\(index).name"] = "mesh.onnx"
        text["networks.mesh"] = "mesh.onnx"
        change(&text)
        return text
    }

    @Test("a presentation-attack network must be declared completely")
    func presentationAttack() throws {
        let manifest = try Self.withAttackNetwork().manifest()
        #expect(manifest.faults.isEmpty)
        #expect(
            manifest.geometry.presentationAttack?.classes == 3
                && manifest.geometry.input(of: .presentationAttack)?.layout == .nchw)
        for part in ["networks", "geometry"] {
            let half = Self.withAttackNetwork { $0["\(part).presentationAttack"] = nil }
            #expect(
                try half.manifest().faults == [
                    "presentationAttack must be in both networks and geometry, or in neither"
                ])
        }
    }

    @Test(
        "a presentation-attack network's out-of-range value is a fault",
        arguments: [
            ("cropFactor", 0.4, "the crop factor of presentationAttack must be 0.5...8"),
            ("cropFactor", 8.1, "the crop factor of presentationAttack must be 0.5...8"),
            (
                "classes", 0,
                "presentationAttack must have 1...64 classes, with live the index of one, from 0"
            ),
            (
                "classes", 65,
                "presentationAttack must have 1...64 classes, with live the index of one, from 0"
            ),
            (
                "live", 3,
                "presentationAttack must have 1...64 classes, with live the index of one, from 0"
            ),
            (
                "live", -1,
                "presentationAttack must have 1...64 classes, with live the index of one, from 0"
            ),
            ("limit", 0, "the limit of presentationAttack must lie between 0 and 1"),
            ("limit", 1, "the limit of presentationAttack must lie between 0 and 1"),
            (
                "strictLimit", 0.5,
                "the strictLimit of presentationAttack must be over 0 and under its limit"
            ),
            (
                "strictLimit", 0,
                "the strictLimit of presentationAttack must be over 0 and under its limit"
            ),
            ("minContext", -1, "the minContext of presentationAttack must be 0...8"),
            ("minContext", 8.5, "the minContext of presentationAttack must be 0...8"),
            ("input.width", 7, "input sides must be 8...1024 pixels"),
        ] as [(String, Double, String)])
    func presentationAttackRanges(key: String, value: Double, fault: String) throws {
        let text = Self.withAttackNetwork {
            $0["geometry.presentationAttack.\(key)"] = value == value.rounded() ? Int(value) : value
        }
        #expect(try text.manifest().faults == [fault])
    }

    @Test("crop, context, and strict limit have defaults")
    func presentationAttackDefaults() throws {
        let plain = try Self.withAttackNetwork().manifest().geometry.presentationAttack
        #expect(plain?.crop == .square && plain?.minContext == 0 && plain?.strictLimit == 0.25)
        let full = try Self.withAttackNetwork {
            $0["geometry.presentationAttack.crop"] = "outline"
            $0["geometry.presentationAttack.minContext"] = 2
            $0["geometry.presentationAttack.strictLimit"] = 0.3
        }.manifest()
        #expect(
            full.faults.isEmpty && full.geometry.presentationAttack?.crop == .outline
                && full.geometry.presentationAttack?.minContext == 2
                && full.geometry.presentationAttack?.strictLimit == 0.3)
    }

    @Test("a network is added to a manifest, and replaces the one that was there")
    func adding() throws {
        let geometry = PresentationAttackGeometry(
            input: InputGeometry(width: 80, height: 80, layout: .nchw, color: .bgr),
            crop: .outline, cropFactor: 2.7, minContext: 2, activation: .none, classes: 3, live: 1,
            limit: 0.5, strictLimit: 0.3)
        func added(_ manifest: PackManifest, _ byte: UInt8) throws -> PackManifest {
            try PackManifest(
                parsing: manifest.adding(
                    presentationAttack: geometry, network: "p.xml",
                    files: ["p.xml", "p.bin"].map {
                        .init(name: $0, data: Data([byte]), license: "CC0-1.0", source: "a test")
                    }))
        }
        let old = try ManifestText().manifest(), new = try added(old, 1)
        #expect(new.faults.isEmpty && new.id == old.id && new.files.count == old.files.count + 2)
        #expect(
            new.geometry.presentationAttack == geometry
                && new.file(of: .presentationAttack) == "p.xml")
        #expect(Array(new.files.prefix(old.files.count)) == old.files)
        let again = try added(new, 2)
        #expect(again.files.count == new.files.count && again.files != new.files)
        #expect(throws: PackError.self) {
            try old.adding(presentationAttack: geometry, network: "q.xml", files: [])
        }
    }

    @Test("a single class under softmax is a fault")
    func oneClass() throws {
        let text = Self.withAttackNetwork {
            $0["geometry.presentationAttack.classes"] = 1
            $0["geometry.presentationAttack.live"] = 0
        }
        #expect(
            try text.manifest().faults == [
                "softmax needs two or more classes; with one, the result is always 1"
            ])
    }

    @Test(
        "text with terminal control sequences is a fault, and the fault's text contains none",
        arguments: [
            "title", "licence", "format", "files.0.licence", "files.0.source", "files.0.name",
            "networks.mesh", "networks.\u{1B}[2Jears",
            "calibration",
        ],
        ["\u{1B}[31m", "\u{7}", "\r", "\u{9B}", "\u{202E}", "\u{2028}"])
    func control(path: String, text: String) throws {
        let found = try faults(path, "a\(text)b")
        #expect(!found.isEmpty)
        for fault in found { #expect(fault.isPrintable, "\(path): \(fault.debugDescription)") }
    }

    @Test("sizes out of range are a fault", arguments: [-1, 2_000_000_001, Int.max])
    func fileSizes(bytes: Int) throws {
        #expect(
            try faults("files.0.bytes", bytes) == ["the total size of its files must be 0 to 2 GB"])
    }

    @Test("an unknown network is a fault")
    func unknownNetwork() throws {
        #expect(
            try faults("networks.ears", "cohort.bin") == [
                "“ears” is an unknown network"
            ])
    }

    @Test(
        "a network, a calibration or a cohort in a file that is not listed is a fault",
        arguments: ["networks.mesh", "calibration", "cohort"])
    func unlisted(path: String) throws {
        #expect(try faults(path, "elsewhere.bin") == ["“elsewhere.bin” is not among its files"])
    }

    @Test(
        "an unlisted graph is a fault even if its constants are listed, because it would not be verified"
    )
    func unlistedGraph() throws {
        var text = ManifestText()
        let index = try text.manifest().files.firstIndex { $0.name == "descriptor.xml" }
        text["files.\(try #require(index))"] = nil
        #expect(try text.manifest().faults == ["“descriptor.xml” is not among its files"])
    }

    @Test("unlisted constants are a fault even if their graph is listed")
    func unlistedConstants() throws {
        var text = ManifestText()
        let index = try text.manifest().files.firstIndex { $0.name == "descriptor.bin" }
        text["files.\(try #require(index))"] = nil
        #expect(try text.manifest().faults == ["“descriptor.bin” is not among its files"])
    }

    @Test("input sides out of 8…1024 are a fault", arguments: [7, 1025, 0, -150])
    func sides(side: Int) throws {
        #expect(
            try faults("geometry.descriptor.input.width", side) == [
                "input sides must be 8...1024 pixels"
            ])
        #expect(
            try faults("geometry.detectorFullRange.input.height", side) == [
                "input sides must be 8...1024 pixels"
            ])
    }

    @Test("an input needs three means", arguments: [[], [1, 2], [1, 2, 3, 4]])
    func means(means: [Int]) throws {
        #expect(
            try faults("geometry.mesh.input.mean", means) == [
                "an input must have three means and a finite scale"
            ])
    }

    @Test("mesh and iris inputs are square", arguments: ["mesh", "iris"])
    func square(network: String) throws {
        #expect(
            try faults("geometry.\(network).input.height", 100) == [
                "the inputs of the mesh and iris networks must be square"
            ])
    }

    @Test(
        "a grid without a stride, or with too many anchors per cell, is a fault",
        arguments: [("stride", 0), ("stride", -8), ("perCell", -1), ("perCell", 65)])
    func grids(key: String, value: Int) throws {
        #expect(
            try faults("geometry.detectorShortRange.grids.1.\(key)", value) == [
                "a grid must have a stride of 1...1024 and 1...64 anchors per cell"
            ])
    }

    @Test(
        "too many anchors are a fault",
        arguments: ["detectorShortRange", "detectorFullRange"])
    func anchors(detector: String) throws {
        func grids(_ count: Int) -> [[String: Int]] {
            Array(repeating: ["stride": 1, "perCell": 1], count: count)
        }
        // 128 × 128 cells and 192 × 192.
        let most = detector == "detectorShortRange" ? 6 : 2
        #expect(try faults("geometry.\(detector).grids", grids(most)).isEmpty)
        #expect(
            try faults("geometry.\(detector).grids", grids(most + 1)) == [
                "a detector may have at most 100,000 anchors"
            ])
        #expect(
            try faults("geometry.\(detector).grids", [["stride": 1, "perCell": 64]]) == [
                "a detector may have at most 100,000 anchors"
            ])
    }

    @Test("the anchor count matches the generated anchors")
    func anchorCount() throws {
        let geometry = try ManifestText().manifest().geometry
        for detector in [geometry.detectorShortRange, try #require(geometry.detectorFullRange)] {
            #expect(detector.anchorCount == detector.anchors.count)
        }
    }

    @Test("a crop factor out of range is a fault", arguments: ["mesh", "iris"])
    func cropFactor(network: String) throws {
        for factor in [0, -1.5, 1e300] {
            #expect(
                try faults("geometry.\(network).cropFactor", factor) == [
                    "a crop factor must be 0.01...100"
                ])
        }
    }

    @Test(
        "the length of a descriptor's vector is enough from over 0, and full from more",
        arguments: [(0.0, 1.0), (-1, 1), (2, 2), (3, 2), (1e308, -1)])
    func strength(enough: Double, full: Double) throws {
        #expect(
            try faults("geometry.descriptor.strength", ["enough": enough, "full": full]) == [
                "the strength of a descriptor must be enough from a length over 0, and full from a greater one"
            ])
        #expect(try faults("geometry.descriptor.strength", ["enough": 2.5, "full": 4]).isEmpty)
    }

    @Test("a descriptor has 1…1024 dimensions", arguments: [0, 1025])
    func dimensions(count: Int) throws {
        #expect(
            try faults("geometry.descriptor.dimensions", count) == [
                "a descriptor must have 1...1024 dimensions"
            ])
    }

    @Test("alignment needs at least two points of the mesh")
    func alignment() throws {
        let fault = ["alignment needs two or more of the 468 mesh points"]
        #expect(try faults("geometry.descriptor.alignment.0.mesh", 468) == fault)
        #expect(try faults("geometry.descriptor.alignment.0.mesh", -1) == fault)
        #expect(
            try faults("geometry.descriptor.alignment", [["mesh": 1, "x": 1, "y": 1]]) == fault)
    }

    @Test("alignment that would shrink the face to a point is a fault")
    func coincidence() throws {
        func alignment(_ points: [(Int, Double)]) -> [[String: Any]] {
            points.map { ["mesh": $0.0, "x": $0.1, "y": 20] }
        }
        #expect(
            try faults("geometry.descriptor.alignment", alignment([(1, 30), (2, 30)])) == [
                "alignment points must be at least a pixel apart"
            ])
        #expect(
            try faults("geometry.descriptor.alignment", alignment([(1, 30), (2, 30.5)])) == [
                "alignment points must be at least a pixel apart"
            ])
        #expect(
            try faults("geometry.descriptor.alignment", alignment([(1, 30), (1, 60)])) == [
                "alignment must not name a mesh point twice"
            ])
        #expect(
            try faults("geometry.descriptor.alignment", alignment([(1, 30), (2, 1e300)])) == [
                "alignment points must be within 4096 pixels"
            ])
        #expect(try faults("geometry.descriptor.alignment", alignment([(1, 30), (2, 60)])).isEmpty)
    }

    @Test(
        "an identifier that is not a safe folder name is rejected",
        arguments: ["../x", "", "A", "a/b"])
    func identifier(id: String) {
        #expect(throws: (any Error).self) { try faults("id", id) }
    }

    @Test("recorded sizes and hashes match the contents")
    func recording() throws {
        let manifest = try ManifestText().manifest()
        let recorded = try manifest.recording([
            (name: "cohort.bin", data: Data("abc".utf8)), (name: "unknown", data: Data()),
        ])
        let back = try JSONDecoder().decode(PackManifest.self, from: recorded)
        let file = try #require(back.files.first { $0.name == "cohort.bin" })
        #expect(file.bytes == 3)
        // FIPS 180-2, appendix B.1.
        #expect(file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            back.files.filter { $0.name != "cohort.bin" }
                == manifest.files.filter { $0.name != "cohort.bin" })
        #expect(back.geometry == manifest.geometry)
    }
}
