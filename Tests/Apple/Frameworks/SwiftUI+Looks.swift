// The looks of views, and what modifies them. SwiftUI.swift names the pages.
import Combine
import UIKit

// MARK: Looks

public struct Font: Sendable {
    public static let title = Font(), title2 = Font(), title3 = Font(), headline = Font()
    public static func system(size: CGFloat) -> Font { Font() }
    public func bold() -> Font { self }
}
public struct Alignment: Sendable {
    public static let leading = Alignment(), trailing = Alignment(), top = Alignment(),
        bottom = Alignment(), center = Alignment()
}
public enum TextAlignment: Sendable { case leading, center, trailing }
public enum ContentMode: Sendable { case fit, fill }
public enum ControlSize: Sendable { case regular, large }
public protocol PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: Self { Self() }
}
public struct AccessibilityTraits: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let isHeader = Self(rawValue: 1), updatesFrequently = Self(rawValue: 2)
}

public protocol ShapeStyle {}
public struct Color: ShapeStyle, Sendable, View, FakeDrawn {
    public static let green = Color(), yellow = Color(), black = Color(), primary = Color()
    public enum RGBColorSpace: Sendable { case sRGB }
    let rgb: [Double]?
    nonisolated init() { rgb = nil }
    public nonisolated init(
        _ space: RGBColorSpace, red: Double, green: Double, blue: Double, opacity: Double = 1
    ) { rgb = [red, green, blue] }
    public var body: Never { fatalError() }
    /// Nothing to read or press, but tests see the color: `color 255 102 102`.
    func drawn(on screen: FakeScreen) -> [FakeElement] {
        guard let rgb else { return [] }
        let words = rgb.map { String(Int(($0 * 255).rounded())) }.joined(separator: " ")
        return [FakeElement(kind: .other, label: "color \(words)", spoken: "")]
    }
}
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: Self { Self() }
}
public struct ForegroundStyle: ShapeStyle { public init() {} }

public struct Path: Sendable {
    public private(set) var points: [CGPoint] = []
    public init() {}
    public mutating func addLines(_ lines: [CGPoint]) { points += lines }
    public mutating func closeSubpath() {}
}
@MainActor @preconcurrency public protocol Shape: View where Body == FakeShape {
    func path(in rect: CGRect) -> Path
}
public struct FakeShape: View, FakeDrawn {
    public var body: Never { fatalError() }
    func drawn(on screen: FakeScreen) -> [FakeElement] { [] }
}
extension Shape {
    public var body: FakeShape { FakeShape() }
    public func trim(from: CGFloat, to: CGFloat) -> some Shape { self }
    public func stroke(lineWidth: CGFloat) -> some View { FakeShape() }
    public func stroke<S: ShapeStyle>(_ style: S, lineWidth: CGFloat) -> some View { FakeShape() }
}
public struct Ellipse: Shape {
    public init() {}
    public func path(in rect: CGRect) -> Path { Path() }
}

@MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == FakeShape {
    associatedtype UIViewType: UIView
    typealias Context = UIViewRepresentableContext<Self>
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
}
public struct UIViewRepresentableContext<Representable> {}
extension UIViewRepresentable {
    public var body: FakeShape {
        let context = UIViewRepresentableContext<Self>()
        updateUIView(makeUIView(context: context), context: context)
        return FakeShape()
    }
}

// MARK: Modifiers

extension View {
    public func padding(_ length: CGFloat? = nil) -> some View { self }
    public func font(_ font: Font?) -> some View { self }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func frame(
        maxWidth: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    public func tint(_ tint: Color?) -> some View { self }
    public func ignoresSafeArea() -> some View { self }
    public func background<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View {
        let content = content()
        return FakeModified(content: self) { $0.elements(content) + $1 }
    }
    public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
    public func clipShape<S: Shape>(_ shape: S) -> some View { self }
    public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
    public func controlSize(_ size: ControlSize) -> some View { self }
    public func disabled(_ isDisabled: Bool) -> some View {
        FakeModified(content: self) { _, all in
            isDisabled
                ? all.map {
                    var one = $0
                    one.press = nil
                    return one
                } : all
        }
    }
    public func environment<V>(_ path: WritableKeyPath<EnvironmentValues, V>, _ value: V)
        -> some View
    { self }
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func accessibilityHidden(_ isHidden: Bool) -> some View {
        // Still on the screen, but a screen reader passes it over.
        FakeModified(content: self) { _, all in
            all.map {
                var one = $0
                if isHidden { one.spoken = "" }
                return one
            }
        }
    }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
    public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
        FakeModified(content: self) { _, all in
            all.isEmpty
                ? [FakeElement(kind: .other, label: String(label))]
                : all.map {
                    var one = $0
                    one.spoken = String(label)
                    return one
                }
        }
    }
    public func id<ID: Hashable>(_ id: ID) -> some View {
        FakeIdentified(content: self, identity: AnyHashable(id))
    }
    public func tag<V: Hashable>(_ tag: V) -> some View {
        FakeModified(content: self) { _, all in
            FakeTag.found.append(AnyHashable(tag))
            return all
        }
    }
    public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V)
        -> some View
    {
        let content = content()
        return FakeModified(content: self) { $1 + $0.elements(content) }
    }
    public func task(
        priority: TaskPriority = .userInitiated,
        _ action: @escaping @MainActor @Sendable () async -> Void
    ) -> some View {
        FakeModified(content: self) { screen, all in
            let place = screen.place
            screen.seen.insert(place)
            if screen.appeared[place] == nil {
                screen.appeared[place] = (Task(priority: priority) { await action() }, [])
            }
            return all
        }
    }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        FakeModified(content: self) { screen, all in
            let place = screen.place
            screen.seen.insert(place)
            if screen.appeared[place] == nil {
                screen.appeared[place] = (nil, action.map { [$0] } ?? [])
            }
            return all
        }
    }
    public func fullScreenCover<C: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> C
    ) -> some View {
        FakeModified(content: self) { screen, all in
            // What is below cannot be pressed.
            isPresented.wrappedValue ? screen.elements(content()) : all
        }
    }
}
