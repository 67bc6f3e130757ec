// SPDX-License-Identifier: GPL-2.0-or-later
// Drives jSCSI's initiator: java JavaInitiator SCHEMA SETTINGS TARGET COUNT BYTES writes and reads COUNT blocks of
// BYTES in turn, compares them, and prints how many were equal. Exit 1 if one was not.

import java.io.File;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jscsi.initiator.Configuration;
import org.jscsi.initiator.Initiator;

public class JavaInitiator {
    public static void main(String[] arguments) throws Exception {
        Initiator initiator = new Initiator(Configuration.create(new File(arguments[0]), new File(arguments[1])));
        String target = arguments[2];
        int count = Integer.parseInt(arguments[3]);
        int bytes = Integer.parseInt(arguments[4]);
        initiator.createSession(target);
        int equal = 0;
        for (int i = 0; i < count; i++) {
            ByteBuffer written = ByteBuffer.allocate(bytes);
            ByteBuffer read = ByteBuffer.allocate(bytes);
            Arrays.fill(written.array(), (byte) (65 + i % 26));
            int block = i * (bytes / 512);
            initiator.write(target, written, block, bytes);
            initiator.read(target, read, block, bytes);
            if (Arrays.equals(written.array(), read.array())) {
                equal++;
            }
        }
        initiator.closeSession(target);
        System.out.println(equal + " of " + count + " equal");
        System.exit(equal == count ? 0 : 1);
    }
}
