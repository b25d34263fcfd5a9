import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Watches, on a thread of its own, when a file descriptor becomes readable or its other end is closed.
///
/// It replaces a dispatch source: on Linux, cancelling one just as its descriptor hangs up may crash the process. Its
/// queue then frees memory that the system's thread is still reading (in `_dispatch_event_loop_drain`; seen when a
/// child process ended, Swift 6.3).
package final class DescriptorWatch: Sendable {
    /// Writing a byte to it ends the watch.
    private let end = Pipe()

    /// - Parameters:
    ///   - descriptor: stays open until the watch has ended.
    ///   - heed: reads the available data; returns false to end the watch, as it should when nothing more will come.
    ///   - ended: called once the descriptor is no longer watched.
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

    /// Ends the watch, after the available data has been handled.
    package func stop() {
        // Both ends of the pipe stay open as long as this object, and it gets only a few bytes, so the write cannot
        // block.
        try? end.fileHandleForWriting.write(contentsOf: [0])
    }

    private static func look(_ descriptor: Int32, until end: Int32, _ heed: () -> Bool) {
        var looks = [descriptor, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            // Only a signal interrupts `poll`.
            guard poll(&looks, nfds_t(looks.count), -1) > 0 else { continue }
            if looks[0].revents != 0 {
                guard heed() else { return }
            } else if looks[1].revents != 0 {
                return
            }
        }
    }
}
