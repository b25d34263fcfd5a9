import Mustache

/// A page's model as templates look into it: each value is reflected once. The template engine by itself reflects a value
/// anew for each tag, and each value around it, too (CON-1; `Docs/Benchmarks.md` has the times). Parts of which a page
/// has many are not reflected at all: see `RepeatedParts.swift`.
struct ReflectedModel: MustacheParent, CustomStringConvertible {
    private let value: Any
    private let children: [String: Any]

    /// What a template finds in place of a value: other values than structures and lists are as they are.
    static func of(_ value: Any) -> Any {
        present(value) ?? value
    }

    /// Nil for an optional without a value. What most values are comes first: to ask whether one conforms to a protocol
    /// takes longer than to compare types.
    private static func present(_ value: Any) -> Any? {
        let type = type(of: value)
        if type == String.self || type == Bool.self || type == Int.self { return value }
        switch value {
        // Before what it may hold: a cast looks into it.
        case let optional as any OptionalValue: return optional.value.flatMap(present)
        case is any MustacheParent: return value
        case let list as [Any]: return list.map(of)
        case is any MustacheCustomRenderable, is any MustacheCustomRepresentation, is MustacheLambda,
            is MustacheTemplate:
            return value
        default:
            let mirror = Mirror(reflecting: value)
            return mirror.displayStyle == .struct ? ReflectedModel(value, mirror) : value
        }
    }

    private init(_ value: Any, _ mirror: Mirror) {
        self.value = value
        children = mirror.children.reduce(into: [:]) { children, child in
            guard let name = child.label, let value = Self.present(child.value) else { return }
            children[name] = value
        }
    }

    /// Of the value itself, for a tag that shows it.
    var description: String { String(describing: value) }

    func child(named name: String) -> Any? { children[name] }
}

/// Any optional, whatever it may hold.
private protocol OptionalValue {
    var value: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var value: Any? { self }
}
