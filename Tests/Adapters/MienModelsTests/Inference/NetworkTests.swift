import Foundation
import MienModels
import MienTesting
import Testing

@Suite("Networks")
struct NetworkTests {
    private let runtime: InferenceRuntime

    init() throws { runtime = try InferenceRuntime() }

    /// Returns the output of `request` for `values`.
    private func answer(_ request: InferRequest, to values: [Float]) throws -> [[Float]] {
        try request.run { input in for (i, value) in values.enumerated() { input[i] = value } }
    }

    @Test("a network gives the outputs that its file describes in every run")
    func knownAnswers() throws {
        let model = try SmallModel()
        let request = try InferRequest(Network(model.path, runtime: runtime))
        #expect(request.inputCount == 4)
        #expect(request.takesFloats)
        #expect(try answer(request, to: [0, 1, -1, 0.5]) == [[1, 3, -1, 2]])
        #expect(try answer(request, to: [100, 0, 7, -0.5]) == [[201, 1, 15, 0]])
    }

    @Test("unwritten inputs keep the previous run's values")
    func keepsInput() throws {
        let model = try SmallModel()
        let request = try InferRequest(Network(model.path, runtime: runtime))
        _ = try answer(request, to: [1, 2, 3, 4])
        #expect(try answer(request, to: [10]) == [[21, 5, 7, 9]])
    }

    @Test("an output is a copy that the next run does not change")
    func copies() throws {
        let model = try SmallModel()
        let request = try InferRequest(Network(model.path, runtime: runtime))
        let first = try answer(request, to: [1, 1, 1, 1])
        _ = try answer(request, to: [9, 9, 9, 9])
        #expect(first == [[3, 3, 3, 3]])
    }

    @Test("a request outlives the network it was made from")
    func lifetime() throws {
        let model = try SmallModel()
        let request: InferRequest
        do { request = try InferRequest(try Network(model.path, runtime: try InferenceRuntime())) }
        #expect(try answer(request, to: [1, 2, 3, 4]) == [[3, 5, 7, 9]])
    }

    @Test("concurrent requests on one network get their own outputs")
    func atOnce() async throws {
        let model = try SmallModel()
        let network = try Network(model.path, runtime: runtime, options: NetworkOptions(streams: 4))
        let pool = WorkerPool(workers: 4, label: "test.requests") { try InferRequest(network) }
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
            for i in 0..<400 {
                group.addTask {
                    try await pool.run { request in
                        try request.run { input in for k in 0..<4 { input[k] = Float(i * 4 + k) } }
                            != [(0..<4).map { Float(2 * (i * 4 + $0) + 1) }]
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wrong == 0)
    }

    @Test("several threads in one run give the same outputs")
    func threads() throws {
        let model = try SmallModel()
        let request = try InferRequest(
            Network(model.path, runtime: runtime, options: NetworkOptions(threads: 3, streams: 2)))
        #expect(try answer(request, to: [1, 2, 3, 4]) == [[3, 5, 7, 9]])
    }

    @Test("bf16 gives nearly the same outputs on CPUs with and without bf16")
    func bf16() throws {
        let model = try SmallModel()
        let request = try InferRequest(
            Network(model.path, runtime: runtime, options: NetworkOptions(precision: .bf16)))
        let found = try answer(request, to: [1, 2, 3, 4])[0]
        #expect(zip(found, [3, 5, 7, 9]).allSatisfy { abs($0 - $1) < 0.05 * $1 })
    }

    @Test("sides that the file leaves open take the requested values")
    func openShape() throws {
        let model = try SmallModel(open: true)
        let request = try InferRequest(Network(model.path, runtime: runtime, shape: [1, 6]))
        #expect(request.inputCount == 6)
        #expect(try answer(request, to: [0, 1, 2, 3, 4, 5]) == [[1, 3, 5, 7, 9, 11]])
    }

    @Test("a network with two inputs is unsuitable")
    func twoInputs() throws {
        let model = try SmallModel(secondInput: true)
        #expect(throws: InferenceError(.unsuitableModel, "")) {
            try Network(model.path, runtime: runtime)
        }
    }

    @Test("a network with byte input accepts bytes")
    func bytes() throws {
        let model = try SmallModel(input: .bytes)
        let request = try InferRequest(Network(model.path, runtime: runtime))
        #expect(request.inputCount == 4)
        #expect(!request.takesFloats)
    }

    @Test("an input of another element type is unsuitable")
    func inputType() throws {
        let model = try SmallModel(input: .integers)
        #expect(throws: InferenceError(.unsuitableModel, "")) {
            try InferRequest(Network(model.path, runtime: runtime))
        }
    }

    @Test("an output of another element type is unsuitable")
    func outputType() throws {
        let model = try SmallModel(outputType: "i32")
        #expect(throws: InferenceError(.unsuitableModel, "")) {
            try InferRequest(Network(model.path, runtime: runtime))
        }
    }

    @Test("threads and streams out of range trap")
    func options() async {
        await #expect(processExitsWith: .failure) { _ = NetworkOptions(threads: 0) }
        await #expect(processExitsWith: .failure) { _ = NetworkOptions(streams: 65) }
    }
}

@Suite("Files that are not networks")
struct UnreadableNetworkTests {
    private let runtime: InferenceRuntime
    private let folder: ScratchFolder

    init() throws { (runtime, folder) = (try InferenceRuntime(), try ScratchFolder()) }

    private func refusal(_ path: String) -> InferenceError? {
        do throws(InferenceError) { _ = try Network(path, runtime: runtime) } catch { return error }
        return nil
    }

    @Test(
        "a missing file is unreadable, and the reason names it",
        arguments: ["missing.xml", "missing.tflite", "missing.onnx"])
    func missing(name: String) throws {
        let error = try #require(refusal(folder(name).path))
        #expect(error.code == .unreadableModel)
        #expect(error.reason.contains(name))
        #expect(!error.reason.contains("\n"))
        #expect(error.description == "inference.unreadable-model: \(error.reason)")
    }

    @Test(
        "garbage is unreadable under any name",
        arguments: ["a.xml", "a.tflite", "a.onnx", "a.txt", "a"])
    func garbage(name: String) throws {
        var random = TestSeed.generator()
        let path = try folder.write(
            (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }, to: name
        ).path
        #expect(refusal(path)?.code == .unreadableModel)
    }

    @Test("an empty file and a folder are unreadable", arguments: ["empty.xml", "empty.tflite"])
    func empty(name: String) throws {
        #expect(refusal(try folder.write([], to: name).path)?.code == .unreadableModel)
        #expect(refusal(folder.url.path)?.code == .unreadableModel)
    }

    @Test("a graph without its constants is unreadable")
    func noConstants() throws {
        let model = try SmallModel()
        try FileManager.default.removeItem(at: model.folder("small.bin"))
        #expect(refusal(model.path)?.code == .unreadableModel)
    }

    @Test("a graph with truncated constants is unreadable")
    func shortConstants() throws {
        let model = try SmallModel()
        try model.folder.write([0, 0, 0, 0], to: "small.bin")
        #expect(refusal(model.path)?.code == .unreadableModel)
    }
}

@Suite("Cache of compiled networks")
struct NetworkCacheTests {
    private let runtime: InferenceRuntime
    private let cache: ScratchFolder

    init() throws { (runtime, cache) = (try InferenceRuntime(), try ScratchFolder()) }

    private func answer(_ model: SmallModel) throws -> [[Float]] {
        let network = try Network(
            model.path, runtime: runtime,
            options: NetworkOptions(cacheFolder: cache("deep/er").path))
        return try InferRequest(network).run { input in for i in 0..<4 { input[i] = Float(i) } }
    }

    private func blobs() throws -> [String: Data] {
        let names = try cache.names(in: "deep/er").filter { $0.hasSuffix(".blob") }
        return Dictionary(
            uniqueKeysWithValues: try names.map {
                ($0, try Data(contentsOf: cache("deep/er/\($0)")))
            })
    }

    @Test("the first start fills the cache, and the next one uses it")
    func filledAndReused() throws {
        let model = try SmallModel()
        #expect(try answer(model) == [[1, 3, 5, 7]])
        let first = try blobs()
        #expect(first.count == 1)
        #expect(try answer(model) == [[1, 3, 5, 7]])
        #expect(try blobs() == first)
    }

    @Test("a changed network is compiled again")
    func changed() throws {
        _ = try answer(try SmallModel())
        #expect(try answer(try SmallModel(factor: 10)) == [[1, 11, 21, 31]])
        #expect(try blobs().count == 2)
    }

    @Test("a damaged cache is ignored")
    func damaged() throws {
        let model = try SmallModel()
        _ = try answer(model)
        for (name, data) in try blobs() {
            try cache.write(data.prefix(data.count / 2), to: "deep/er/\(name)")
        }
        #expect(try answer(model) == [[1, 3, 5, 7]])
    }

    @Test("nothing is cached without a folder")
    func none() throws {
        let model = try SmallModel()
        _ = try Network(model.path, runtime: runtime)
        #expect(try cache.names().isEmpty)
        #expect(try model.folder.names() == ["small.bin", "small.xml"])
    }
}
