/// What whoever composes has to know before they save again: the sentence above the form, with a link.
struct ComposeAlert: Sendable {
    let alertSentence: String
    /// To be looked at in another tab, beside what was typed.
    let alertAddress: String
    let alertLink: String
    /// What to do then.
    let alertAdvice: String
}

extension ComposeAlert {
    /// Somebody else has changed what is edited.
    ///
    /// - Parameters:
    ///   - subject: `draft`, `message`.
    ///   - page: of the campaign.
    static func merged(_ merge: ComposeMerge, _ subject: String, page: String) -> ComposeAlert {
        ComposeAlert(
            alertSentence: "Somebody else has changed this \(subject) since you opened it. \(merge.sentence)",
            alertAddress: page, alertLink: "Look at it as it is now",
            alertAdvice: "in another tab. Look through this form, then save again."
        )
    }

    /// The form has made a draft already, and says something else by now.
    ///
    /// - Parameter page: of that draft.
    static func sentAlready(page: String) -> ComposeAlert {
        ComposeAlert(
            alertSentence: "You have saved this form already, and changed it since. Nothing was saved now.",
            alertAddress: page, alertLink: "Look at the draft that it made",
            alertAdvice: "in another tab, and edit that. To save this form as a second draft, save again."
        )
    }
}
