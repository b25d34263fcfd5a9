import ArgumentParser
import BelfryAPI
import BelfryWire
import Foundation

/// An audience that is tried before a campaign for it exists.
struct AudienceArgument: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(
        help: "The audience: a predicate in JSON, or a file with one. '-' is standard input.", completion: .file()
    )
    var predicate: String

    func validate() throws {
        guard !predicate.isEmpty else { throw ValidationError("The predicate is empty.") }
        guard isJSON else { return }
        do {
            try JSONInput.check(Array(predicate.utf8))
        } catch {
            throw ValidationError("The predicate \(error).")
        }
    }

    /// The request body. The predicate is sent as it was written, so that the server rejects parts that this version
    /// does not know instead of losing them.
    ///
    /// - Parameter attributes: the attributes to show for each person; nil for a call that shows nobody.
    func body(attributes: [String]? = nil) throws -> Data {
        var text = JSONWriter()
        text.literal("{")
        text.key("audience")
        text.raw(try isJSON ? Data(predicate.utf8) : InputFile(predicate, option: nil).json())
        if let attributes {
            text.literal(",")
            text.key("attributes")
            text.raw(try JSONEncoder().encode(attributes))
        }
        text.literal("}")
        return Data(text.bytes)
    }

    /// Whether the text is a predicate and not a file name: a predicate is an object, and no file name begins with a
    /// brace.
    private var isJSON: Bool { predicate.unicodeScalars.drop(while: \.properties.isWhitespace).first == "{" }
}
