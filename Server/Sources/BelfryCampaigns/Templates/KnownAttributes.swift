import BelfryModel
import BelfryServerModel

/// The attributes that an app has defined, for what names them: the templates of a content, or the values of a preview.
///
/// A reference, so that all of them together are told of what was probably meant, and not each: a body has room for
/// ten thousand names, and an app for hundreds of attributes to compare each with (SEC-8).
package final class KnownAttributes {
    /// Undefined names that are told what is defined.
    package static let maximumAdvised = 50

    package let schema: [String: AttributeType]

    private lazy var names = schema.keys.sorted()
    private lazy var list = NameList.text(names)
    private var advised = 0

    package init(_ schema: [String: AttributeType]) {
        self.schema = schema
    }

    /// The name in the spelling that the schema has, which is the one in the contacts.
    func spelling(of name: String) throws(ValueError) -> String {
        if let index = schema.index(forKey: name) { return schema[index].key }
        throw ValueError(
            code: "undefinedAttribute", message: "The app has no attribute '\(name.prefix(64))'.\(advice(for: name))"
        )
    }

    /// Empty when many names were undefined before.
    private func advice(for name: String) -> String {
        guard advised < Self.maximumAdvised else { return "" }
        advised += 1
        return NearestKey.find(name, in: names).map { " Did you mean '\($0)'?" } ?? " Defined: \(list)."
    }
}
