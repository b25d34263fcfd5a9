import Foundation

// Only Foundation is needed, so it is the same on every system; the web views are Apple's.

/// Where the web view of a message may go: nowhere but to the page that it was given (IAM-12).
struct InAppNavigation: Hashable, Sendable {
    /// What a navigation is about.
    enum Frame: Hashable, Sendable {
        case main
        /// A frame in the page, such as the one that holds the marketer's own HTML.
        case inner
        /// A window that does not exist yet.
        case another
    }

    private var hasBegun = false

    /// - Returns: whether the web view may go there. The first page of the main frame may be loaded, once; a frame in it
    ///   may show what the page itself holds. Links are no navigation: the page tells of them by its bridge.
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
