/// The layout of an in-app message (IAM-12).
public enum InAppType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A card over the app, which stays visible behind it.
    case modal
    /// The whole screen.
    case full
    case bannerTop
    case bannerBottom
    /// One image over the whole screen.
    case fullImage
    /// A view in the app's own screen, named by a view id. The app requests the message, so it has no trigger.
    case inline
    /// The marketer's own page.
    case html
    /// Nothing is shown: ``InAppContent/actions`` run, like the on-event actions of version 3.
    case action

    /// Whether it covers a part of the app, so that at most one such message is on the screen (IAM-6).
    public var isOverlay: Bool { self != .inline && self != .action }
}
