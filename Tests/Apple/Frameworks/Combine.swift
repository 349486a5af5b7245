// The parts of Apple's Combine that the SDK uses. Nothing is published: the fake of SwiftUI draws again
// whenever a test looks. Source: developer.apple.com/documentation/combine, the pages observableobject
// and published.
public protocol ObservableObject: AnyObject {}

@propertyWrapper public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(initialValue: Value) { wrappedValue = initialValue }
}
