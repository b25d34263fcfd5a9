import BelfryModel

/// What in a marketer's HTML runs code, brings a page of another or leads where no message may lead (IAM-12, SEC-4).
///
/// Every `<` is read as though a tag began there, wherever it stands: in a comment, in a style sheet, in a value. So
/// nothing that a browser takes for an element is missed, whatever it makes of the text around it. Where a template's
/// sections could change what is an element and what is not, they are refused.
public struct InAppHTMLCheck {
    /// How many faults one text is told.
    static let maximumFaults = 5
    /// Bytes that are read for each byte of the text: quotes that never close would have it read again and again.
    private static let effort = 16

    private let bytes: [UInt8]
    private let allowsScripts: Bool
    private var found: [Refusal] = []
    private var known: Set<String> = []
    private var bytesLeft: Int

    private init(_ html: String, allowsScripts: Bool) {
        bytes = Array(html.utf8)
        bytesLeft = bytes.count * Self.effort
        self.allowsScripts = allowsScripts
    }

    /// Everything that may not be in it, each thing once; the messages say in which line.
    public static func refusals(of html: String, allowsScripts: Bool) -> [Refusal] {
        var check = InAppHTMLCheck(html, allowsScripts: allowsScripts)
        check.checkTags()
        return check.found
    }

    private mutating func checkTags() {
        for index in bytes.indices where bytes[index] == UInt8(ascii: "<") {
            guard found.count < Self.maximumFaults else { return }
            guard bytesLeft > 0 else {
                return refuse("notReadable", "the HTML has too many tags that do not end", at: index)
            }
            checkTag(at: index)
        }
    }

    private mutating func checkTag(at index: Int) {
        var reader = HTMLTagReader(bytes, at: index + 1)
        let tag = reader.read()
        bytesLeft -= tag.end - index
        if let place = tag.templateTag {
            refuse(
                "unsafePlace", "a tag of the template stands inside of an HTML tag, outside of quotes or across them",
                at: place
            )
        }
        guard !tag.name.isEmpty else { return }
        if let fault = InAppHTMLRules.fault(ofElement: tag.name, allowsScripts: allowsScripts) {
            refuse(fault.code, fault.what, at: index)
        }
        for attribute in tag.attributes {
            let fault = InAppHTMLRules.fault(of: attribute, in: tag.name, allowsScripts: allowsScripts)
            if let fault { refuse(fault.code, fault.what, at: index) }
        }
    }

    private mutating func refuse(_ code: String, _ what: String, at index: Int) {
        guard found.count < Self.maximumFaults, known.insert(what).inserted else { return }
        let line = bytes[..<index].count { $0 == UInt8(ascii: "\n") } + 1
        found.append(Refusal(code: code, message: "In line \(line) \(what)."))
    }
}
