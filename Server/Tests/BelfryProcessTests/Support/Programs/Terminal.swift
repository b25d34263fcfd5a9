import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A terminal for a command to ask at, where somebody has already typed the answer.
struct Terminal {
    /// The terminal that a command opens.
    let path: String
    // `TIOCSPTLCK` and `TIOCGPTN` of Linux, which Swift does not import.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430
    private let ends: [FileHandle]

    init(typing text: String) throws {
        let person = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        guard person >= 0, ioctl(person, Self.setLock, &isLocked) == 0, ioctl(person, Self.getNumber, &number) == 0
        else { throw NoTerminal() }
        path = "/dev/pts/\(number)"
        // Open on both ends from now on: what is typed waits for the command.
        let machine = open(path, O_RDWR | O_NOCTTY)
        guard machine >= 0 else { throw NoTerminal() }
        ends = [person, machine].map { FileHandle(fileDescriptor: $0, closeOnDealloc: false) }
        try ends[0].write(contentsOf: Data(text.utf8))
    }

    func close() throws {
        for end in ends { try end.close() }
    }
}

struct NoTerminal: Error {}
