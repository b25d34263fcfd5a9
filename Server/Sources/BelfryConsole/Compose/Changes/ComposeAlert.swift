/// The sentence above the form that an editor has to read before saving again, with a link.
struct ComposeAlert: Sendable {
    let alertSentence: String
    /// The address of the present draft, for another tab beside the form.
    let alertAddress: String
    let alertLink: String
    /// The advice after the link: what to do next.
    let alertAdvice: String
}

extension ComposeAlert {
    /// The alert when somebody else has changed the draft or message since it was opened.
    ///
    /// - Parameters:
    ///   - subject: `draft` or `message`.
    ///   - page: the address of the campaign.
    static func merged(_ merge: ComposeMerge, _ subject: String, page: String) -> ComposeAlert {
        ComposeAlert(
            alertSentence: "Somebody else has changed this \(subject) since you opened it. \(merge.sentence)",
            alertAddress: page, alertLink: "Look at it as it is now",
            alertAdvice: "in another tab. Look through this form, then save again."
        )
    }

    /// The alert when the form has already made a draft, and was changed before it was sent again.
    ///
    /// - Parameter page: the address of that draft.
    static func sentAlready(page: String) -> ComposeAlert {
        ComposeAlert(
            alertSentence: "You have saved this form already, and changed it since. Nothing was saved now.",
            alertAddress: page, alertLink: "Look at the draft that it made",
            alertAdvice: "in another tab, and edit that. To save this form as a second draft, save again."
        )
    }
}
