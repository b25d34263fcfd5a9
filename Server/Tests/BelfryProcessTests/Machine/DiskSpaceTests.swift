import BelfryServices
import Foundation
import Testing

@testable import BelfryCommand

@Suite("The size of a file system")
struct DiskSpaceTests {
    @Test("SEC-9: a file system without a size, as some in user space and /proc, does not close the store")
    func sizeless() {
        #expect(DiskSpace(ofFileSystemAt: "/proc", unsettled: 0) == nil)
        #expect(DiskSpace(ofFileSystemAt: "/nowhere/\(UUID().uuidString)", unsettled: 0) == nil)
    }

    @Test("SEC-9: the disk of a folder has a size, and no more room than that")
    func sized() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let space = try #require(DiskSpace(ofFileSystemAt: folder, unsettled: 7))
        #expect(space.total > 0 && (0...space.total).contains(space.available) && space.unsettled == 7)
    }
}
