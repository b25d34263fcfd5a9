import Foundation

@testable import Belfry

/// Opens what in-app messages lead to, by keeping it.
final class OpenedLinks: LinkOpener {
    private let noted = Locked<(urls: [String], settings: Int)>(([], 0))

    var urls: [String] { noted.withLock { $0.urls } }
    /// How often the system's settings were opened.
    var settings: Int { noted.withLock { $0.settings } }

    func open(_ url: URL) async -> Bool {
        noted.withLock { $0.urls.append(url.absoluteString) }
        return true
    }

    func openPushSettings() async -> Bool {
        noted.withLock { $0.settings += 1 }
        return true
    }
}
