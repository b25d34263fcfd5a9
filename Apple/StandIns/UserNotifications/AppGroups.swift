import Foundation

/// The app groups that the app belongs to, as its entitlements say.
// Unchecked: its state is accessed under its lock only.
public final class AppGroups: @unchecked Sendable {
    public static let shared = AppGroups()

    private let lock = NSLock()
    private var containers: [String: URL] = [:]

    public func set(_ container: URL?, for group: String) {
        lock.withLock { containers[group] = container }
    }

    fileprivate func container(of group: String) -> URL? {
        lock.withLock { containers[group] }
    }
}

// On Apple's systems it belongs to Foundation.
extension FileManager {
    /// Nil for a group that the app does not belong to (page containerURL(forSecurityApplicationGroupIdentifier:), iOS).
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        AppGroups.shared.container(of: groupIdentifier)
    }
}
