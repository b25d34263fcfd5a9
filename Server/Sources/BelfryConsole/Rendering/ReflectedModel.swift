import Mustache

/// A page's model for templates, in which each value is reflected once. The template engine would reflect a value for
/// each tag, together with each value around it (CON-1; `Docs/Benchmarks.md` has the times). Parts that a page repeats
/// often are not reflected at all: see `RepeatedParts.swift`.
struct ReflectedModel: MustacheParent, CustomStringConvertible {
    private let value: Any
    private let children: [String: Any]

    /// The value as a template sees it: structures and lists are wrapped, all other values stay as they are.
    static func of(_ value: Any) -> Any {
        present(value) ?? value
    }

    /// The value as a template sees it; nil for an empty optional. The most frequent types come first: comparing types
    /// is faster than asking for a conformance.
    private static func present(_ value: Any) -> Any? {
        let type = type(of: value)
        if type == String.self || type == Bool.self || type == Int.self { return value }
        switch value {
        // Optionals come first, because a cast to another type would look into them.
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

    /// The text of the value itself, for a tag that shows it.
    var description: String { String(describing: value) }

    func child(named name: String) -> Any? { children[name] }
}

/// An optional of any type.
private protocol OptionalValue {
    var value: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var value: Any? { self }
}
