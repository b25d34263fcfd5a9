import Foundation

// Needs only Foundation, so it is the same on every system; the web views are Apple's.

/// Decides which navigations the web view of a message may make: only to the page that it was given (IAM-12).
struct InAppNavigation: Hashable, Sendable {
    /// The target of a navigation.
    enum Frame: Hashable, Sendable {
        case main
        /// A frame in the page, such as the one that holds the marketer's own HTML.
        case inner
        /// A window that does not exist yet.
        case another
    }

    private var hasBegun = false

    /// - Returns: whether the navigation is allowed. The first page of the main frame may be loaded, once; a frame in
    ///   it may show content of the page itself. Links are not navigations: the page sends them over its bridge.
    mutating func allows(_ url: URL?, in frame: Frame) -> Bool {
        let address = url?.absoluteString ?? ""
        switch frame {
        case .main:
            guard !hasBegun, address == "about:blank" else { return false }
            hasBegun = true
            return true
        case .inner:
            return address == "about:srcdoc" || address == "about:blank"
        case .another:
            return false
        }
    }
}
