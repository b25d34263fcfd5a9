import BelfryCampaigns
import BelfryModel
import BelfryServerModel

/// Determines what a push that opens a rich message opens: the page of its action, or the message center message beside
/// it, but never both (CAMP-6). If there are too many variants, their contents are not examined; the number is reported
/// as an error elsewhere.
struct RichMessageRule {
    private let draft: CampaignDraft
    private let kept: KeptMessages
    private let pushLocales: LocaleTable

    /// - Parameters:
    ///   - bounded: the draft without excess entries.
    ///   - kept: the message center messages of the bounded draft.
    init(_ draft: CampaignDraft, bounded: CampaignDraft, kept: KeptMessages) {
        self.draft = draft
        self.kept = kept
        pushLocales = LocaleTable((bounded.push?.variants ?? [:]).keys)
    }

    /// Whether the message of a locale's recipients has rich content that the push can open.
    func isKept(for locale: String?) -> Bool {
        guard draft.kind.keepsMessage else { return false }
        guard !VariantsCheck.isTooMany(draft.messageCenter?.variants) else { return true }
        let message = kept.message(locale)
        return message.richUrl != nil || message.richHtml != nil
    }

    /// Whether the push of a locale's recipients opens the page of its action.
    func isPageOfPush(for locale: String?) -> Bool {
        guard locale == nil || !VariantsCheck.isTooMany(draft.push?.variants) else { return false }
        let action = draft.push.flatMap { $0.variant(pushLocales.best(for: locale)).action }
        return action?.type == .openRichMessage && action?.url != nil
    }
}
