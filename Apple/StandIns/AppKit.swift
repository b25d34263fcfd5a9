// Stand-in for AppKit; see README.md.
@_exported import Foundation

@MainActor
public final class NSApplication {
    public static var shared: NSApplication { fatalError("a stand-in is never run") }

    public var isActive: Bool { fatalError("a stand-in is never run") }

    public var dockTile: NSDockTile { fatalError("a stand-in is never run") }

    public func registerForRemoteNotifications() {}
}

@MainActor
public final class NSDockTile {
    public var badgeLabel: String? { fatalError("a stand-in is never run") }
}
