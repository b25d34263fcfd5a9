/// How a field shows a change that somebody else has saved since the form was opened (CON-5).
enum FormMark: Hashable, Sendable {
    /// Only the other person has changed the value: the field contains theirs.
    case theirs
    /// Both people have changed the value: the field contains what was typed, and the other value is shown below it.
    ///
    /// - Parameters:
    ///   - value: the other person's value, as the field would contain it.
    ///   - offer: the value of the box that takes the other value; nil where another field of the same part has that
    ///     box.
    case both(_ value: String, offer: String?)
    /// The editor of this form has removed the value, and the other person has changed it.
    case removed

    /// The other person's value; nil where the field itself contains it.
    var value: String? {
        if case .both(let value, _) = self { value } else { nil }
    }

    var offer: String? {
        if case .both(_, let offer) = self { offer } else { nil }
    }

    /// The sentence on the change; nil where ``value`` is shown instead.
    var sentence: String? {
        switch self {
        case .theirs: "Somebody else has changed this. The field shows the value that they saved."
        case .removed: "You removed this, but somebody else has changed it since. To remove it, empty it again."
        case .both: nil
        }
    }
}
