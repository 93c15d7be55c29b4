#!/bin/sh
# Makes linux.img: the smallest Linux that boots, of Debian's kernel for virtual machines and busybox.
#
#     sh linux_image.sh FOLDER
#
# Needs apt-get, dpkg and gzip, and no right to install anything. What is booted writes a line to its
# drive behind the image, reads it back, and switches itself off.
set -eu
mkdir -p "$1/packages" "$1/tree" "$1/root/bin" "$1/root/modules" "$1/root/dev" "$1/root/proc"
cd "$1"
kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: //p' | head -n 1)
(cd packages && apt-get download --quiet "$kernel" busybox-static syslinux mtools)
for package in packages/*.deb; do dpkg -x "$package" tree; done
PATH=$PATH:$PWD/tree/usr/bin

cp tree/bin/busybox root/bin/
find tree/lib/modules -name 'virtio*.ko' -exec cp {} root/modules/ \;
cat > root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
    /bin/busybox insmod /modules/$module.ko
done
while [ ! -b /dev/vda ]; do /bin/busybox sleep 1; done
echo "Linux $(/bin/busybox uname -r) is up; drive of $(/bin/busybox blockdev --getsize64 /dev/vda) bytes"
echo "hello from the guest" | /bin/busybox dd of=/dev/vda bs=512 seek=400000 conv=sync,fsync 2>/dev/null
/bin/busybox dd if=/dev/vda bs=512 skip=400000 count=1 iflag=direct 2>/dev/null | /bin/busybox head -n 1
/bin/busybox poweroff -f
INIT
chmod +x root/init
(cd root && find . | ./bin/busybox cpio -o -H newc) | gzip -9 > initrd.gz

truncate -s 64M linux.img
mformat -i linux.img -v ARRAY -T 131072 -h 16 -s 63 ::
syslinux -i linux.img
cat > syslinux.cfg <<'CONFIGURATION'
SERIAL 0 115200
DEFAULT linux
LABEL linux
KERNEL vmlinuz
INITRD initrd.gz
APPEND console=ttyS0 quiet
CONFIGURATION
mcopy -i linux.img tree/boot/vmlinuz* ::vmlinuz
mcopy -i linux.img initrd.gz syslinux.cfg ::
echo "made: $PWD/linux.img"
