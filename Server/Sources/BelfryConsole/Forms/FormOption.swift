import Mustache

/// A choice that a field offers.
struct FormChoice: Hashable, Sendable {
    let value: String
    let words: String

    init(_ value: String, _ words: String) {
        self.value = value
        self.words = words
    }
}

/// A choice on a page, with whether it is chosen.
struct FormOption: Sendable, MustacheParent {
    let value: String
    let words: String
    let isChosen: Bool

    func child(named part: String) -> Any? {
        switch part {
        case "value": value
        case "words": words
        case "isChosen": isChosen
        default: nil
        }
    }

    /// The options for these choices. The field's present value is always among them, even if it is no longer offered.
    static func all(_ offered: [FormChoice], chosen: String) -> [FormOption] {
        var offered = offered
        if !chosen.isEmpty, !offered.contains(where: { $0.value == chosen }) {
            offered.append(FormChoice(chosen, "\(chosen.isolated) (no longer offered)"))
        }
        return offered.map { FormOption(value: $0.value, words: $0.words, isChosen: $0.value == chosen) }
    }
}
