import Foundation
import MienCore
import MienMedia
import MienModels
import MienTesting
import Testing

@testable import MienFace
@testable import MienTools

@Suite("MiniFASNet networks")
struct PresentationNetworkTests {
    private struct Part {
        let name: String
        let shape: [Int]
        let values: [Float]
    }

    /// The tensors of a network of the right form, with one or two channels everywhere.
    private static func parts(excitation: Bool = true) -> [Part] {
        var parts: [Part] = []
        func tensor(_ name: String, _ shape: [Int], _ value: Float) {
            parts.append(
                .init(
                    name: name, shape: shape,
                    values: Array(repeating: value, count: shape.reduce(1, *))))
        }
        func norm(_ name: String, _ count: Int) {
            tensor("\(name).weight", [count], 2)
            tensor("\(name).bias", [count], 0.5)
            tensor("\(name).running_mean", [count], 1)
            tensor("\(name).running_var", [count], 4)
        }
        func unit(_ name: String, _ shape: [Int], slopes: Bool = true) {
            tensor("\(name).conv.weight", shape, 0.25)
            norm("\(name).bn", shape[0])
            if slopes { tensor("\(name).prelu.weight", [shape[0]], 0.1) }
        }
        func block(_ name: String) {
            unit("\(name).conv", [3, 2, 1, 1])
            unit("\(name).conv_dw", [3, 1, 3, 3])
            unit("\(name).project", [2, 3, 1, 1], slopes: false)
        }
        unit("conv1", [2, 3, 3, 3])
        unit("conv2_dw", [2, 1, 3, 3])
        block("conv_23")
        for index in 0..<4 { block("conv_3.model.\(index)") }
        if excitation {
            tensor("conv_3.model.3.se_module.fc1.weight", [1, 2, 1, 1], 1)
            norm("conv_3.model.3.se_module.bn1", 1)
            tensor("conv_3.model.3.se_module.fc2.weight", [2, 1, 1, 1], 1)
            norm("conv_3.model.3.se_module.bn2", 2)
        }
        block("conv_34")
        for index in 0..<6 { block("conv_4.model.\(index)") }
        block("conv_45")
        for index in 0..<2 { block("conv_5.model.\(index)") }
        unit("conv_6_sep", [4, 2, 1, 1])
        unit("conv_6_dw", [4, 1, 5, 5], slopes: false)
        tensor("linear.weight", [2, 4], 1)
        norm("bn", 2)
        tensor("prob.weight", [3, 2], 0.5)
        return parts
    }

    private static func network(_ parts: [Part]) throws -> PresentationNetwork {
        try PresentationNetwork(
            TorchFile(
                tensors: Dictionary(
                    uniqueKeysWithValues: parts.map {
                        ($0.name, TorchFile.Tensor(shape: $0.shape, values: $0.values))
                    })))
    }

    @Test("a network's layers follow from its tensors, with batch normalizations folded in")
    func layers() throws {
        let network = try Self.network(Self.parts())
        #expect(network.layers.count == 2 + 1 + 4 + 1 + 6 + 1 + 2 + 2 && network.features == 4)
        let first = try #require(network.layers.first?.units.first)
        // 2 / √4 is 1, and 0.5 − 1 is −0.5.
        #expect(
            first.stride == 2 && first.padding == 1 && !first.isGrouped
                && first.weights.allSatisfy { abs($0 - 0.25) < 1e-5 }
                && first.biases.allSatisfy { abs($0 + 0.5) < 1e-5 } && first.slopes == [0.1, 0.1])
        let second = try #require(network.layers[1].units.first)
        #expect(second.isGrouped && second.stride == 1)
        guard case .block(let units, let excitation, addsInput: true) = network.layers[6] else {
            Issue.record("the last block of conv_3 has another form")
            return
        }
        #expect(units.map(\.isGrouped) == [false, true, false] && excitation != nil)
        #expect(units.map { $0.slopes == nil } == [false, false, true])
        // 0.5 × (4 × 1 × 1) + 0.5 × …, twice.
        #expect(network.matrix.allSatisfy { abs($0 - 1) < 1e-4 })
        #expect(network.biases.allSatisfy { abs($0 + 0.5) < 1e-4 })
        let last = try #require(network.layers.last?.units.first)
        #expect(last.window == 5 && last.padding == 0 && last.slopes == nil)
    }

    @Test("a missing, changed, or additional tensor is refused by its name")
    func tensors() throws {
        let parts = Self.parts()
        for (index, part) in parts.enumerated() where !part.name.hasSuffix("prelu.weight") {
            var fewer = parts
            fewer.remove(at: index)
            let error = #expect(throws: PresentationNetworkError.self) {
                try Self.network(fewer)
            }
            // Without the first of its tensors, an excitation is not there, and the others are too
            // many.
            if !part.name.contains("fc1") {
                #expect(error == .missing(part.name))
            }
        }
        for (index, part) in parts.enumerated() {
            var changed = parts
            changed[index] = .init(
                name: part.name, shape: part.shape + [1, 2].suffix(4 - part.shape.count),
                values: part.shape.count == 4 ? part.values : part.values + part.values)
            if part.shape.count == 4 {
                changed[index] = .init(
                    name: part.name, shape: [part.shape[0] + 1] + part.shape.dropFirst(),
                    values: part.values + part.values.prefix(part.values.count / part.shape[0]))
            } else if part.shape.count == 3 {
                continue
            }
            #expect(throws: (any Error).self, "\(part.name)") { try Self.network(changed) }
        }
        #expect(throws: PresentationNetworkError.unused("other")) {
            try Self.network(parts + [.init(name: "other", shape: [1], values: [1])])
        }
    }

    @Test("a negative variance, a plane that does not shrink to a pixel, and no file are refused")
    func faults() throws {
        var parts = Self.parts()
        let variance = try #require(parts.firstIndex { $0.name == "conv1.bn.running_var" })
        parts[variance] = .init(name: parts[variance].name, shape: [2], values: [1, -1])
        #expect(throws: PresentationNetworkError.variance("conv1.bn.running_var")) {
            try Self.network(parts)
        }
        parts = Self.parts()
        let last = try #require(parts.firstIndex { $0.name == "conv_6_dw.conv.weight" })
        parts[last] = .init(
            name: parts[last].name, shape: [4, 1, 4, 4], values: Array(repeating: 1, count: 64))
        #expect(throws: PresentationNetworkError.self) { try Self.network(parts) }
        #expect(throws: PresentationNetworkError.count(0)) { try convertPresentationNetworks([]) }
    }

    @Test("names of layers are unique, and constants start at multiples of 64 bytes")
    func graph() throws {
        let network = try Self.network(Self.parts())
        let graph = OpenVINOIR([network, network])
        #expect(Set(graph.layers.map(\.name)).count == graph.layers.count)
        #expect(graph.layers.last?.type == "Result")
        #expect(graph.layers.filter { $0.type == "SoftMax" }.count == 2)
        #expect(graph.layers.filter { $0.type == "GroupConvolution" }.count == 2 * 17)
        #expect(graph.layers.filter { $0.type == "Sigmoid" }.count == 2)
    }

    // MARK: Files

    @Test("a pickle that calls what it may not, and one with another hash, are refused")
    func pickles() async throws {
        let scratch = try ScratchFolder(), file = scratch("network.pth"), made = scratch("made")
        let call = Data(
            "\u{80}\u{2}cos\nmkdir\n(S'\(made.path)'\ntR.".unicodeScalars.map { UInt8($0.value) })
        try call.write(to: file)
        for hash in [PackManifest.hash(of: call), PackManifest.hash(of: Data())] {
            let error = await #expect(throws: PackError.self) {
                try await WorkerThread.run(name: "test.torch") {
                    try TorchFile(file, sha256: hash)
                }
            }
            #expect(error?.code == .unavailable)
        }
        #expect(!FileManager.default.fileExists(atPath: made.path))
    }

    /// Runs a converted network on one of the reference pictures.
    private static func scores(_ networks: [PresentationNetwork], _ chip: ReferenceChip) throws
        -> [Float]
    {
        let converted = try convertPresentationNetworks(networks)
        let scratch = try ScratchFolder()
        try scratch.write(Data(converted.xml), to: "n.xml")
        try scratch.write(Data(converted.bin), to: "n.bin")
        let network = try Network(
            scratch("n.xml").path, runtime: try InferenceRuntime(), options: NetworkOptions(),
            shape: [1, 3, 80, 80])
        let input = InputGeometry(width: 80, height: 80, layout: .nchw, color: .bgr)
        let image = try RGBImage(
            width: 80, height: 80, pixels: PresentationReference.pixels(of: chip))
        return try InferRequest(network).run { input.write(image, into: &$0) }[0]
    }

    @Test(
        "the published networks answer as an independent implementation in double precision does",
        .needsPresentationFiles,
        arguments: [
            (
                ReferenceChip.gradient, [0.001355515820, 0.029499163446],
                [0.008884400691, 0.838783639024]
            ),
            (.rings, [0.023107971253, 0.732199270935], [0.000000166279, 0.999886624782]),
            (.noise, [0.000564273550, 0.997934326018], [0.007430868047, 0.991983814298]),
        ])
    func published(chip: ReferenceChip, second: [Double], first: [Double]) async throws {
        func isNear(_ found: [Float], _ expected: [Double]) -> Bool {
            zip(found, expected).allSatisfy { abs(Double($0) - $1) < 1e-4 }
        }
        let networks = [
            try await PresentationFiles.network(0), try await PresentationFiles.network(1),
        ]
        let v2 = try Self.scores([networks[0]], chip)
        let v1 = try Self.scores([networks[1]], chip)
        let both = try Self.scores(networks, chip)
        #expect(isNear(v2, second), "\(v2)")
        #expect(isNear(v1, first), "\(v1)")
        #expect(isNear(both, PresentationReference.scores(of: chip)), "\(both)")
        for scores in [v2, v1, both] {
            #expect(scores.count == 3 && abs(scores.reduce(0, +) - 1) < 1e-5)
        }
    }

    @Test("the same files give the same bytes on every machine", .needsPresentationFiles)
    func bytes() async throws {
        let converted = try convertPresentationNetworks([
            try await PresentationFiles.network(0), try await PresentationFiles.network(1),
        ])
        #expect(
            PackManifest.hash(of: Data(converted.xml))
                == "e46179831bb2b5a215bc6ad2102894ae103dbc209ccd1599b762b304f0daa8c4")
        #expect(
            PackManifest.hash(of: Data(converted.bin))
                == "f91c268fb73bc87d9dcf58ba8f2c5ffa5d00b346f0337d3f4e16735b7b8ea015")
    }

    @Test(
        "with the pack's detector and mesh, a face is one, and two screens are not",
        .needsSamplesAndPack)
    func samples() async throws {
        let scratch = try ScratchFolder(), old = try #require(PresentationFiles.pack)
        let program = try await MienPackProgram.run([
            "add-presentation", old.folder.path, "--networks", PresentationFiles.networks.path,
            "--output", scratch("pack").path,
        ])
        #expect(program.status == 0, "\(program.err)")
        let pack = try ModelPack(folder: scratch("pack"))
        #expect(pack.id == old.id && pack.manifest.files.count == old.manifest.files.count + 2)
        let engine = try FaceEngine(pack: pack, looksForAttacks: true)
        let geometry = try #require(pack.manifest.geometry.presentationAttack)
        // Without the gate for context, because the second screen is too close for it.
        let ungated = PresentationAttackScorer(
            geometry: PresentationAttackGeometry(
                input: geometry.input, crop: geometry.crop, cropFactor: geometry.cropFactor,
                activation: geometry.activation, classes: geometry.classes, live: geometry.live,
                limit: geometry.limit))
        for (name, attacks, gate) in [
            ("image_T1", 0...0.1, nil), ("image_F1", 0.5...1, nil),
            ("image_F2", 0.5...1, .context),
        ] as [(String, ClosedRange<Double>, PresentationGate?)] {
            let file = PresentationFiles.samples.appending(path: "\(name).jpg")
            let image = try ImageFile.decode(file.path)
            let reading = try await engine.reading(
                of: Frame(image: image, time: .zero), index: 0)
            let finding = try #require(reading.face?.presentationAttack).finding
            if let gate {
                #expect(finding == .closed(gate))
            } else if case .attack(let attack) = finding {
                #expect(attacks.contains(attack), "\(name): \(attack)")
            } else {
                Issue.record("\(name): \(finding)")
            }
            let attack = try await engine.run { analyzer, networks in
                try analyzer.analyze(image, with: networks).main.flatMap { face in
                    try ungated.score(of: face, in: image, with: networks).attack
                }
            }
            #expect(attacks.contains(attack ?? -1), "\(name): \(attack ?? -1)")
        }
    }
}
