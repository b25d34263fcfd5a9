import BelfryModel
import Foundation

/// A script for wrk that sends events of devices in turn. Each event has a new id of the round, the thread and a
/// counter. All ids have the same length, so that the rest of a request is built only once.
///
/// Its arguments are the round, which is the prefix of every id, and the file with the devices' request heads
/// (``BenchDevice``).
enum EventsScript {
    static func text(eventsPerRequest: Int, threads: Int, at date: Date) -> String {
        let rest =
            #"","type":"custom","name":"bench","timestamp":"\#(Timestamp.text(date))","#
            + #""attributes":{"screen":"home","position":7}}"#
        return PreparedTexts.script(threads: threads) + """
            function init(args)
              heads = load_texts(args[2])
              local id = args[1] .. "-t" .. number .. "-"
              local blank = string.rep("0", 12)
              parts = { "" }
              for event = 1, \(eventsPerRequest) do
                parts[#parts] = parts[#parts] .. (event == 1 and '{"events":[' or ',') .. '{"id":"' .. id
                parts[#parts + 1] = blank
                parts[#parts + 1] = '\(rest)'
              end
              parts[#parts] = parts[#parts] .. ']}'
              parts[1] = "Content-Length: " .. #table.concat(parts) .. "\\r\\n\\r\\n" .. parts[1]
              table.insert(parts, 1, "")
              events = 0
              taken = 0
              loaded(args[2] .. "-" .. args[1])
            end

            function request()
              taken = taken + 1
              if taken == 2 then wait_for_others() end
              parts[1] = heads[(taken - 1) % #heads + 1]
              for place = 3, #parts, 2 do
                events = events + 1
                parts[place] = string.format("%012d", events)
              end
              return table.concat(parts)
            end

            """
    }
}
