/// A part of a run that is stored under its name: `{"checkingPassword": {"expected": "usr_1"}}`,
/// like the case of an enumeration.
///
/// Names and members are stable, because runs are stored. `StoredRunTests` holds recorded ones.
public protocol StoredState: Sendable, Hashable, Codable {
    static var name: String { get }
}

/// An effect that a run waits for: its subject, without secrets.
public protocol PendingState: StoredState {
    associatedtype Answer: EffectAnswer

    /// Returns whether the answer concerns the same user, capture, and session.
    func accepts(_ answer: Answer) -> Bool
}

extension PendingState {
    func accepts(any answer: any EffectAnswer) -> Bool {
        (answer as? Answer).map { accepts($0) } ?? false
    }
}

/// A prompt that a run waits on.
public protocol PromptState: StoredState {}

/// The effect a run waits for.
public struct Pending: Sendable {
    public let state: any PendingState

    init(_ state: any PendingState) { self.state = state }

    static let types = Dictionary(
        StepType.all.flatMap { $0.effects }.map { ($0.pending.name, $0.pending) },
        uniquingKeysWith: { first, _ in first })
}

/// The prompt a run waits on.
public struct Asked: Sendable {
    public let state: any PromptState

    init(_ state: any PromptState) { self.state = state }

    static let types = Dictionary(
        StepType.all.flatMap { $0.prompts }.map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first })
}

extension StepEffect {
    static var pending: any PendingState.Type { Pending.self }
}

extension Pending: Hashable, Codable {
    public static func == (a: Self, b: Self) -> Bool {
        AnyHashable(a.state) == AnyHashable(b.state)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(state)) }

    public init(from decoder: any Decoder) throws {
        let stored = try NamedState(decoder)
        state = try stored.implementation(in: Self.types).init(from: stored.content)
    }
    public func encode(to encoder: any Encoder) throws { try NamedState.encode(state, to: encoder) }
}

extension Asked: Hashable, Codable {
    public static func == (a: Self, b: Self) -> Bool {
        AnyHashable(a.state) == AnyHashable(b.state)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(state)) }

    public init(from decoder: any Decoder) throws {
        let stored = try NamedState(decoder)
        state = try stored.implementation(in: Self.types).init(from: stored.content)
    }
    public func encode(to encoder: any Encoder) throws { try NamedState.encode(state, to: encoder) }
}

/// The one member of a stored state's object.
private struct NamedState {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Name>
    private let name: Name
    let content: any Decoder

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Name.self)
        guard let name = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "expected an object with one member"))
        }
        self.name = name
        content = try container.superDecoder(forKey: name)
    }

    func implementation<State>(in types: [String: State]) throws -> State {
        guard let type = types[name.stringValue] else {
            throw DecodingError.dataCorruptedError(
                forKey: name, in: container,
                debugDescription: "expected one of \(types.keys.sorted().joined(separator: ", "))")
        }
        return type
    }

    static func encode(_ state: any StoredState, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(state, forKey: Name(stringValue: type(of: state).name))
    }
}
