import BelfryStore
import Foundation
import Testing

/// How the bell of PostgreSQL and the output of child processes are looked at.
struct DescriptorWatchTests {
    /// A pipe that is watched, and what the watch has read of it; it ends with the watch.
    private struct Watched {
        let pipe = Pipe()
        let watch: DescriptorWatch
        private let texts: AsyncStream<String>

        init(_ text: String) throws {
            let (texts, found) = AsyncStream.makeStream(of: String.self)
            self.texts = texts
            try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            let handle = pipe.fileHandleForReading
            watch = DescriptorWatch(handle.fileDescriptor) {
                let bytes = handle.availableData
                found.yield(String(decoding: bytes, as: UTF8.self))
                return !bytes.isEmpty
            } ended: {
                found.finish()
            }
        }

        func all() async -> [String] {
            await texts.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("FLEET-1: what has come is heeded before a watch is stopped")
    func stopped() async throws {
        let watched = try Watched("abc")
        watched.watch.stop()
        #expect(await watched.all() == ["abc"])
    }

    @Test("FLEET-1: a watch is told once that the other end is gone, after what that has left")
    func hungUp() async throws {
        let watched = try Watched("abc")
        try watched.pipe.fileHandleForWriting.close()
        #expect(await watched.all() == ["abc", ""])
    }

    @Test("FLEET-1: a watch that nobody keeps ends")
    func dropped() async {
        let pipe = Pipe()
        await withCheckedContinuation { continuation in
            _ = DescriptorWatch(pipe.fileHandleForReading.fileDescriptor) {
                true
            } ended: {
                continuation.resume()
            }
        }
    }
}
