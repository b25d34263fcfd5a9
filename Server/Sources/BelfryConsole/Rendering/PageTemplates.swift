import BelfryModel
import Mustache

/// The templates of all pages, compiled once when the program starts. Their values are escaped, and isolated where an
/// element allows it.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// - Parameter sources: the templates by name, as in the folder `Pages`.
    init(_ sources: [String: String]) throws {
        MustacheContentTypes.register(HTMLEscaping(), named: HTMLEscaping.name)
        library = MustacheLibrary(
            templates: try sources.mapValues { source in
                try MustacheTemplate(string: HTMLEscaping.pragma + TemplateIsolation(source).isolated)
            }
        )
    }

    /// - Throws: ``PageError/noTemplate(_:)`` for an unknown name.
    func render(_ name: String, _ model: any Sendable) throws -> String {
        guard let text = library.render(ReflectedModel.of(model), withTemplate: name) else {
            throw PageError.noTemplate(name)
        }
        return text
    }
}

enum PageError: Error {
    case noTemplate(String)
}
