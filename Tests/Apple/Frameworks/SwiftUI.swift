// The parts of Apple's SwiftUI that the SDK and the sample app use. `FakeScreen` draws a view into texts
// and buttons, which a test reads and presses; state is kept by the place of a view, and tasks begin
// when a view appears. Source: developer.apple.com/documentation/swiftui, the pages view, viewbuilder,
// state, stateobject, observedobject, binding, text, button, image, vstack, hstack, scrollview, list,
// form, foreach, picker, toggle, textfield, securefield, progressview, shape, path, color, font, app,
// scene, windowgroup, uiviewrepresentable, uihostingcontroller, view/task(priority:_:),
// view/ondisappear(perform:), view/fullscreencover(ispresented:ondismiss:content:), view/overlay(alignment:content:),
// view/accessibilitylabel(_:), view/accessibilityaddtraits(_:), and
// view/id(_:).
@_exported import Combine
@_exported import UIKit

// MARK: Drawing

/// A text or a control that a view shows.
@MainActor public struct FakeElement {
    public enum Kind {
        case text, button, image, field, toggle, picker, other
    }

    public let kind: Kind
    public var label: String
    /// The words of a screen reader, if they are not the label.
    public var spoken: String?
    public var press: (() -> Void)?
    /// Sets a field's text, a toggle's state, or a picker's choice.
    public var set: ((Any) -> Void)?
    /// A picker's choices: the label and the tag.
    public var choices: [(label: String, tag: AnyHashable)] = []
}

/// A view on a screen.
@MainActor public final class FakeScreen {
    static var current: FakeScreen!
    private let draw: (FakeScreen) -> [FakeElement]
    var slots: [String: Any] = [:]
    private var path: [String] = []
    private var counts: [String: Int] = [:]
    /// The places whose tasks began, and what happens when they disappear.
    var appeared: [String: (task: Task<Void, Never>?, end: [() -> Void])] = [:]
    var seen: Set<String> = []

    public init<Root: View>(_ root: Root) {
        draw = { $0.elements(root) }
    }

    /// Everything that is on the screen now.
    public var elements: [FakeElement] {
        let former = FakeScreen.current
        FakeScreen.current = self
        (path, counts, seen) = ([], [:], [])
        let found = draw(self)
        for place in appeared.keys where !seen.contains(place) { leave(place) }
        FakeScreen.current = former
        return found
    }

    public func text(_ text: String) -> Bool {
        elements.contains { $0.label == text || $0.spoken == text }
    }

    /// Presses the first button with a label. Returns whether there is one.
    @discardableResult public func press(_ label: String) -> Bool {
        guard
            let button = elements.first(where: {
                $0.kind == .button && ($0.label == label || $0.spoken == label)
            })
        else { return false }
        button.press?()
        return true
    }

    /// Types into a field, switches a toggle, or chooses from a picker by its label.
    @discardableResult public func set(_ label: String, to value: Any) -> Bool {
        guard let element = elements.first(where: { $0.label == label && $0.set != nil }) else {
            return false
        }
        if let choice = element.choices.first(where: { $0.label == value as? String }) {
            element.set?(choice.tag)
        } else {
            element.set?(value)
        }
        return true
    }

    /// The whole screen is gone.
    public func close() { for place in Array(appeared.keys) { leave(place) } }

    private func leave(_ place: String) {
        let left = appeared.removeValue(forKey: place)
        left?.task?.cancel()
        for end in left?.end ?? [] { end() }
    }

    /// The elements of a view that is another one as soon as its identity changes.
    func elements<V: View>(_ view: V, identity: AnyHashable) -> [FakeElement] {
        path.append("id \(identity)")
        defer { path.removeLast() }
        return elements(view)
    }

    var place: String { path.joined(separator: "/") }

    func elements<V: View>(_ view: V) -> [FakeElement] {
        let level = path.joined(separator: "/") + "/\(V.self)"
        counts[level, default: 0] += 1
        path.append("\(V.self)#\(counts[level]!)")
        defer { path.removeLast() }
        if let drawn = view as? any FakeDrawn { return drawn.drawn(on: self) }
        for (name, value) in Mirror(reflecting: view).children {
            (value as? any FakeStored)?.connect(self, "\(place).\(name ?? "")")
        }
        return elements(view.body)
    }
}

@MainActor protocol FakeDrawn { func drawn(on screen: FakeScreen) -> [FakeElement] }
@MainActor protocol FakeStored { func connect(_ screen: FakeScreen, _ place: String) }

// MARK: Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("has no body") }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<V: View>(_ view: V) -> V { view }
    public static func buildBlock<each V: View>(_ views: repeat each V) -> TupleView<
        (repeat each V)
    > {
        var all: [any View] = []
        repeat all.append(each views)
        return TupleView(fake: all)
    }
    public static func buildExpression<V: View>(_ view: V) -> V { view }
    public static func buildIf<V: View>(_ view: V?) -> V? { view }
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> {
        .first(first)
    }
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> {
        .second(second)
    }
}

public struct EmptyView: View, FakeDrawn {
    public init() {}
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { [] }
}

public struct TupleView<T>: View, FakeDrawn {
    let views: [any View]
    init(fake views: [any View]) { self.views = views }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { views.flatMap { screen.elements($0) } }
}

public enum _ConditionalContent<A: View, B: View>: View, FakeDrawn {
    case first(A), second(B)
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        switch self {
        case .first(let view): screen.elements(view)
        case .second(let view): screen.elements(view)
        }
    }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}
extension Optional: FakeDrawn where Wrapped: View {
    func drawn(on screen: FakeScreen) -> [FakeElement] { map { screen.elements($0) } ?? [] }
}

/// A view and what a modifier does to what it shows.
public struct FakeModified<Content: View>: View, FakeDrawn {
    let content: Content
    let change: @MainActor (FakeScreen, [FakeElement]) -> [FakeElement]
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { change(screen, screen.elements(content)) }
}

/// A view with an identity.
public struct FakeIdentified<Content: View>: View, FakeDrawn {
    let content: Content
    let identity: AnyHashable
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        screen.elements(content, identity: identity)
    }
}

// MARK: State

@propertyWrapper public struct State<Value>: FakeStored {
    final class Box {
        var value: Value
        var stored: Box?
        init(_ value: Value) { self.value = value }
    }
    private let box: Box
    public init(wrappedValue: Value) { box = Box(wrappedValue) }
    public init(initialValue: Value) { box = Box(initialValue) }
    public var wrappedValue: Value {
        get { (box.stored ?? box).value }
        nonmutating set { (box.stored ?? box).value = newValue }
    }
    public var projectedValue: Binding<Value> {
        Binding(get: { wrappedValue }, set: { wrappedValue = $0 })
    }
    func connect(_ screen: FakeScreen, _ place: String) {
        let kept = screen.slots[place] as? Box ?? box
        screen.slots[place] = kept
        if kept !== box { box.stored = kept }
    }
}

@MainActor @preconcurrency @propertyWrapper
public struct StateObject<Value: ObservableObject>: FakeStored {
    final class Box {
        var make: () -> Value
        var made: Value?
        var stored: Box?
        nonisolated init(_ make: @escaping () -> Value) { self.make = make }
    }
    // Only the main thread uses what is in it.
    nonisolated(unsafe) private let box: Box
    public nonisolated init(wrappedValue thunk: @autoclosure @escaping () -> Value) {
        box = Box(thunk)
    }
    public var wrappedValue: Value {
        let box = box.stored ?? box
        if let made = box.made { return made }
        let made = box.make()
        box.made = made
        return made
    }
    func connect(_ screen: FakeScreen, _ place: String) {
        let kept = screen.slots[place] as? Box ?? box
        screen.slots[place] = kept
        if kept !== box { box.stored = kept }
    }
}

@MainActor @preconcurrency @propertyWrapper public struct ObservedObject<Value: ObservableObject> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }

    @dynamicMemberLookup @MainActor public struct Wrapper {
        let object: Value
        public subscript<Member>(dynamicMember path: ReferenceWritableKeyPath<Value, Member>)
            -> Binding<Member>
        {
            let object = object
            return Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
        }
    }
}

@propertyWrapper public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        (self.get, self.set) = (get, set)
    }
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
    public var projectedValue: Self { self }
    public static func constant(_ value: Value) -> Binding {
        Binding(get: { value }, set: { _ in })
    }
}

@propertyWrapper public struct Environment<Value> {
    private let value: Value
    public init(_ path: KeyPath<EnvironmentValues, Value>) {
        value = EnvironmentValues()[keyPath: path]
    }
    public var wrappedValue: Value { value }
}

public enum LayoutDirection: Hashable, Sendable { case leftToRight, rightToLeft }
public struct EnvironmentValues: Sendable {
    public var layoutDirection = LayoutDirection.leftToRight
}

// MARK: Texts and controls

public struct Text: View, FakeDrawn {
    let text: String
    public init<S: StringProtocol>(_ content: S) { text = String(content) }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        text.isEmpty ? [] : [FakeElement(kind: .text, label: text)]
    }
    public func font(_ font: Font?) -> Text { self }
    public func bold() -> Text { self }
}

public struct Image: View, FakeDrawn {
    let name: String
    public init(systemName: String) { name = systemName }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { [FakeElement(kind: .image, label: name)] }
}

public struct ButtonRole: Equatable, Sendable {
    let name: String
    public static let destructive = ButtonRole(name: "destructive"),
        cancel = ButtonRole(name: "cancel")
}

public struct Button<Label: View>: View, FakeDrawn {
    let label: Label
    let action: @MainActor () -> Void
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (self.label, self.action) = (label(), action)
    }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        let text = screen.elements(label).map(\.label).joined(separator: " ")
        return [FakeElement(kind: .button, label: text, press: action)]
    }
}
extension Button where Label == Text {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
        (label, self.action) = (Text(title), action)
    }
    public init<S: StringProtocol>(
        _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) { (label, self.action) = (Text(title), action) }
}

public struct TextField: View, FakeDrawn {
    let title: String
    let text: Binding<String>
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        (self.title, self.text) = (String(title), text)
    }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        let text = text
        return [
            FakeElement(
                kind: .field, label: title, set: { text.wrappedValue = $0 as? String ?? "" })
        ]
    }
}

public struct SecureField: View, FakeDrawn {
    let title: String
    let text: Binding<String>
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        (self.title, self.text) = (String(title), text)
    }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        let text = text
        return [
            FakeElement(
                kind: .field, label: title, set: { text.wrappedValue = $0 as? String ?? "" })
        ]
    }
}

public struct Toggle: View, FakeDrawn {
    let title: String
    let isOn: Binding<Bool>
    public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {
        (self.title, self.isOn) = (String(title), isOn)
    }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        let isOn = isOn
        return [
            FakeElement(
                kind: .toggle, label: title, set: { isOn.wrappedValue = $0 as? Bool ?? false })
        ]
    }
}

public struct Picker<Selection: Hashable, Content: View>: View, FakeDrawn {
    let title: String
    let selection: Binding<Selection>
    let content: Content
    public init<S: StringProtocol>(
        _ title: S, selection: Binding<Selection>, @ViewBuilder content: () -> Content
    ) {
        (self.title, self.selection, self.content) = (String(title), selection, content())
    }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        FakeTag.found = []
        let choices = screen.elements(content).map(\.label)
        let selection = selection
        var picker = FakeElement(
            kind: .picker, label: title,
            set: {
                if let tag = ($0 as? AnyHashable)?.base as? Selection {
                    selection.wrappedValue = tag
                }
            })
        picker.choices = Array(zip(choices, FakeTag.found)).map { (label: $0.0, tag: $0.1) }
        return [picker]
    }
}
@MainActor enum FakeTag { static var found: [AnyHashable] = [] }

public struct ProgressView: View, FakeDrawn {
    let value: Double?
    public init() { value = nil }
    public init(value: Double?) { self.value = value }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        [FakeElement(kind: .other, label: "progress")]
    }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, FakeDrawn {
    let data: Data
    let content: (Data.Element) -> Content
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        (self.data, self.content) = (data, content)
        let ids = data.map { $0[keyPath: id] }
        precondition(Set(ids).count == ids.count, "two elements have the same id: \(ids)")
    }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        data.flatMap { screen.elements(content($0)) }
    }
}

// MARK: Containers

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom }

public typealias VStack<Content: View> = FakeStack<Content>
public typealias HStack<Content: View> = FakeRow<Content>
public struct FakeStack<Content: View>: View, FakeDrawn {
    let content: Content
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { screen.elements(content) }
}
public struct FakeRow<Content: View>: View, FakeDrawn {
    let content: Content
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { screen.elements(content) }
}
public struct ScrollView<Content: View>: View, FakeDrawn {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { screen.elements(content) }
}
public struct Form<Content: View>: View, FakeDrawn {
    let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { screen.elements(content) }
}
public struct Section<Content: View>: View, FakeDrawn {
    let title: String
    let content: Content
    public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        (self.title, self.content) = (String(title), content())
    }
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        [FakeElement(kind: .text, label: title)] + screen.elements(content)
    }
}
public struct Spacer: View, FakeDrawn {
    public init() {}
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { [] }
}

// MARK: Apps and UIKit

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    init()
}
@MainActor @preconcurrency public protocol Scene {}
@resultBuilder public enum SceneBuilder {
    public static func buildBlock<S: Scene>(_ scene: S) -> S { scene }
}
public struct WindowGroup<Content: View>: Scene {
    public let fakeContent: Content
    public init(@ViewBuilder content: () -> Content) { fakeContent = content() }
}

open class UIHostingController<Content: View>: UIViewController {
    public let fakeScreen: FakeScreen
    public init(rootView: Content) {
        fakeScreen = FakeScreen(rootView)
        super.init(nibName: nil, bundle: nil)
    }
    public required init?(coder: NSCoder) { nil }
    /// It appears, and is drawn for the first time.
    open override func didMove(toParent parent: UIViewController?) {
        super.didMove(toParent: parent)
        _ = fakeScreen.elements
    }
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        fakeScreen.close()
    }
}
