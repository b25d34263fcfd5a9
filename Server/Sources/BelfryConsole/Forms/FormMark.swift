/// What a field tells of a change that somebody else has saved since its form was opened (CON-5).
enum FormMark: Hashable, Sendable {
    /// They alone have changed it: what stands in the field is theirs.
    case theirs
    /// Both have: what was typed stands in the field, and what they saved is told below it.
    ///
    /// - Parameters:
    ///   - value: as the field would have it.
    ///   - offer: what the form sends where theirs is to stand instead; nil where another field of the same offers it.
    case both(_ value: String, offer: String?)
    /// Whoever typed has removed it, and they have changed it.
    case removed

    /// What they have saved; nil where it stands in the field.
    var value: String? {
        if case .both(let value, _) = self { value } else { nil }
    }

    var offer: String? {
        if case .both(_, let offer) = self { offer } else { nil }
    }

    /// Nil where ``value`` is told.
    var sentence: String? {
        switch self {
        case .theirs: "Somebody else has changed this. The field shows the value that they saved."
        case .removed: "You removed this, but somebody else has changed it since. To remove it, empty it again."
        case .both: nil
        }
    }
}
