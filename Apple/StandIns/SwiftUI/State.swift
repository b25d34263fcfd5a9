// Stand-in for SwiftUI; see ../README.md.
import Foundation

/// What a view remembers. A change of it makes the view anew (page State); the host asks for that.
@propertyWrapper
public struct State<Value> {
    private let storage: Storage<Value>

    public init(wrappedValue: Value) {
        storage = Storage(wrappedValue)
    }

    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.set(newValue) }
    }

    public var projectedValue: Binding<Value> {
        Binding(get: { storage.value }, set: { storage.set($0) })
    }
}

// Unchecked: views are made and read on the main thread only.
final class Storage<Value>: @unchecked Sendable {
    private(set) var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func set(_ value: Value) {
        self.value = value
        StateChanges.happened()
    }
}

/// Whoever shows views hears of every change of a state.
enum StateChanges {
    // Unsafe: set and called on the main thread only, like the views.
    nonisolated(unsafe) static var listeners: [Int: () -> Void] = [:]

    static func happened() {
        for listener in listeners.values { listener() }
    }
}

@propertyWrapper
public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
}

// Unchecked: views are made and read on the main thread only.
extension Binding: @unchecked Sendable where Value: Sendable {}

extension State where Value: ExpressibleByNilLiteral {
    public init() {
        self.init(wrappedValue: nil)
    }
}

extension State: Sendable where Value: Sendable {}
