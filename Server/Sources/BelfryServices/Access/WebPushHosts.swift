import Foundation

/// The hosts at which browsers may be reached (SEC-5): a subscription's endpoint comes from a device, and an operator
/// may list the allowed push services.
package struct WebPushHosts: Hashable, Sendable {
    /// Every host.
    package static let any = WebPushHosts(names: nil)
    /// The push services of Chrome (the first two), Firefox, Safari and Edge, with the beginnings of their
    /// subscriptions' paths. Other paths of these hosts belong to other services, which reject pushes.
    private static let browsers: [(hosts: WebPushHosts, paths: [String])] = [
        (WebPushHosts(names: ["fcm.googleapis.com", "jmt17.google.com"]), ["/fcm/send/", "/wp/"]),
        (WebPushHosts(names: ["push.services.mozilla.com"]), ["/wpush/"]),
        (WebPushHosts(names: ["web.push.apple.com"]), ["/"]),
        (edge, ["/w/", "/?token="]),
    ]
    static let edge = WebPushHosts(names: ["notify.windows.com"])
    /// The host names that browsers give out. Edge has one for each data center, and they change.
    private static let namesOfBrowsers = WebPushHosts(
        names: ["fcm.googleapis.com", "jmt17.google.com", "updates.push.services.mozilla.com", "web.push.apple.com"]
    )
    /// The highest number of names in one setting.
    static let maximumCount = 100

    private let names: [String]?

    private init(names: [String]?) {
        self.names = names
    }

    /// Host names, separated by commas, each including its subdomains. Nil when one of them is not a host name.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ","))
            .map { Substring($0).trimmingCharacters(in: .whitespaces).lowercased() }
        guard (1...Self.maximumCount).contains(parts.count), parts.allSatisfy(Self.isName) else { return nil }
        self.init(names: parts)
    }

    func admit(_ host: String) -> Bool {
        names == nil || lists(host)
    }

    /// Whether the list contains the host or a parent domain of it.
    func lists(_ host: String) -> Bool {
        guard let names else { return false }
        let host = Self.withoutRoot(host)
        return names.contains { host == $0 || host.utf8.reversed().starts(with: ".\($0)".utf8.reversed()) }
    }

    /// Whether the list contains the host itself.
    func spells(_ host: String) -> Bool {
        names?.contains(Self.withoutRoot(host)) ?? false
    }

    /// The host without the dot at the end, which stands for the root domain.
    private static func withoutRoot(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") ? String(Substring(host.utf8.dropLast())) : host
    }

    /// Whether an address is one of a subscription at a well-known browser's push service.
    static func isOfBrowsers(_ host: String, path: String) -> Bool {
        browsers.contains { service in
            service.hosts.lists(host) && service.paths.contains { path.utf8.starts(with: $0.utf8) }
        }
    }

    /// Whether the host has a name of the kind that a well-known browser's push service has. A host of that name need
    /// not exist.
    static func isNamedLikeBrowsers(_ host: String) -> Bool {
        browsers.contains { $0.hosts.lists(host) }
    }

    /// Whether the host is the push service of a well-known browser that has a fixed name.
    static func isOfBrowsers(_ host: String) -> Bool {
        namesOfBrowsers.spells(host)
    }

    private static let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)

    /// A host alone, without a scheme, a port or a wildcard.
    private static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253 && IPAddress(text) == nil
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy(letters.contains)
            }
    }
}
