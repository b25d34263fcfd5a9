/// How an in-app message looks (IAM-12).
public enum InAppType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A card over the app, which goes on behind it.
    case modal
    /// The whole screen.
    case full
    case bannerTop
    case bannerBottom
    /// One picture over the whole screen.
    case fullImage
    /// A place in the app's own page, named by a view id; the app asks for it, so nothing triggers it.
    case inline
    /// The marketer's own page.
    case html
    /// Nothing is shown: ``InAppContent/actions`` run, as version 3 has it for its on-event actions.
    case action

    /// Whether it covers a part of the app, so that at most one such message is on screen (IAM-6).
    public var isOverlay: Bool { self != .inline && self != .action }
}
