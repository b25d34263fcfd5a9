import BelfryModel
import BelfryServerModel

/// The attributes that an app has defined, for code that looks names up: the templates of a content, or the values of a
/// preview.
///
/// It is a class so that advice about unknown names is limited for all lookups together: a body has room for ten
/// thousand names, and each would be compared with hundreds of attributes (SEC-8).
package final class KnownAttributes {
    /// The most undefined names whose errors contain advice.
    package static let maximumAdvised = 50

    package let schema: [String: AttributeType]

    private lazy var names = schema.keys.sorted()
    private lazy var list = NameList.text(names)
    private var advised = 0

    package init(_ schema: [String: AttributeType]) {
        self.schema = schema
    }

    /// The name in the schema's spelling, which contacts use, too. Throws for an undefined name.
    func spelling(of name: String) throws(ValueError) -> String {
        if let index = schema.index(forKey: name) { return schema[index].key }
        throw ValueError(
            code: "undefinedAttribute", message: "The app has no attribute '\(name.prefix(64))'.\(advice(for: name))"
        )
    }

    /// The advice for an undefined name. Empty when many names were undefined before.
    private func advice(for name: String) -> String {
        guard advised < Self.maximumAdvised else { return "" }
        advised += 1
        return NearestKey.find(name, in: names).map { " Did you mean '\($0)'?" } ?? " Defined: \(list)."
    }
}
