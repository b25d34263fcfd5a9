import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Looks, on a thread of its own, when something can be read from a file descriptor or its other end is gone.
///
/// It stands where a dispatch source would: one that is canceled just as its descriptor hangs up may end the process on
/// Linux. Its queue then frees what the system's thread is still reading (in `_dispatch_event_loop_drain`; seen when a
/// child process ended, Swift 6.3).
package final class DescriptorWatch: Sendable {
    /// A byte in it ends the watch.
    private let end = Pipe()

    /// - Parameters:
    ///   - descriptor: stays open until the watch has ended.
    ///   - heed: reads what is there; false ends the watch, as it should where nothing more will come.
    ///   - ended: once nobody looks at the descriptor any more.
    package init(
        _ descriptor: Int32, heed: @escaping @Sendable () -> Bool, ended: @escaping @Sendable () -> Void
    ) {
        let end = end.fileHandleForReading
        Thread.detachNewThread {
            Self.look(descriptor, until: end.fileDescriptor, heed)
            ended()
            withExtendedLifetime(end) {}
        }
    }

    deinit { stop() }

    /// Ends the watch, after what is there has been heeded.
    package func stop() {
        // Both ends are open as long as this is there, and it is told a few times at most.
        try? end.fileHandleForWriting.write(contentsOf: [0])
    }

    private static func look(_ descriptor: Int32, until end: Int32, _ heed: () -> Bool) {
        var looks = [descriptor, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            // What interrupts it is a signal.
            guard poll(&looks, nfds_t(looks.count), -1) > 0 else { continue }
            if looks[0].revents != 0 {
                guard heed() else { return }
            } else if looks[1].revents != 0 {
                return
            }
        }
    }
}
