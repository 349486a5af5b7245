// The parts of Apple's Core ML that the SDK uses. A model is a function that a test has registered for
// its folder. Source: developer.apple.com/documentation/coreml, the pages mlmodel,
// mlmodel/init(contentsof:configuration:), mlmodel/prediction(from:), mlmodelconfiguration,
// mlmultiarray, mlmultiarray/init(shape:datatype:), mlmultiarray/withunsafemutablebytes(_:),
// mldictionaryfeatureprovider, mlfeatureprovider, and mlfeaturevalue.
import Foundation

public typealias FakeNetwork = @Sendable (_ input: [Float]) -> [[Float]]

/// The models by the last part of their folder's name, and the shapes of their inputs.
public final class FakeModels: @unchecked Sendable {
    // Unchecked: the lock protects the models.
    public static let shared = FakeModels()
    private let lock = NSLock()
    private var models: [String: (shape: [Int], run: FakeNetwork)] = [:]

    public func register(_ name: String, shape: [Int], _ run: @escaping FakeNetwork) {
        lock.withLock { models[name] = (shape, run) }
    }

    fileprivate subscript(_ name: String) -> (shape: [Int], run: FakeNetwork)? {
        lock.withLock { models[name] }
    }
}

public enum MLMultiArrayDataType: Int { case float32 = 65_568 }

open class MLMultiArray: NSObject {
    public let shape: [NSNumber]
    fileprivate var values: [Float]

    public init(shape: [NSNumber], dataType: MLMultiArrayDataType) throws {
        self.shape = shape
        values = Array(repeating: 0, count: shape.reduce(1) { $0 * $1.intValue })
    }
    fileprivate init(fake values: [Float]) {
        (self.values, shape) = (values, [NSNumber(value: values.count)])
    }
    open var count: Int { values.count }
    open subscript(_ index: Int) -> NSNumber { NSNumber(value: values[index]) }
    public func withUnsafeMutableBytes<R>(
        _ body: (UnsafeMutableRawBufferPointer, [Int]) throws -> R
    ) rethrows -> R {
        try values.withUnsafeMutableBytes { try body($0, []) }
    }
}

open class MLFeatureValue: NSObject {
    public let multiArrayValue: MLMultiArray?
    public init(multiArray value: MLMultiArray) { multiArrayValue = value }
}

public protocol MLFeatureProvider {
    var featureNames: Set<String> { get }
    func featureValue(for featureName: String) -> MLFeatureValue?
}

open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider {
    private let values: [String: MLFeatureValue]
    public init(dictionary: [String: Any]) throws {
        values = dictionary.compactMapValues {
            ($0 as? MLMultiArray).map { MLFeatureValue(multiArray: $0) }
        }
    }
    public var featureNames: Set<String> { Set(values.keys) }
    public func featureValue(for featureName: String) -> MLFeatureValue? { values[featureName] }
}

open class MLModelConfiguration: NSObject {
    public override init() {}
}

open class MLModel: NSObject {
    private let name: String

    public init(contentsOf url: URL, configuration: MLModelConfiguration) throws {
        name = url.lastPathComponent
        guard FakeModels.shared[name] != nil else {
            throw NSError(domain: "com.apple.CoreML", code: 3)
        }
    }

    open func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
        guard let model = FakeModels.shared[name],
            let array = input.featureValue(for: "input")?.multiArrayValue,
            array.shape.map(\.intValue) == model.shape
        else { throw NSError(domain: "com.apple.CoreML", code: 1) }
        var answers: [String: Any] = [:]
        for (index, output) in model.run(array.values).enumerated() {
            answers["output\(index)"] = MLMultiArray(fake: output)
        }
        return try MLDictionaryFeatureProvider(dictionary: answers)
    }
}
